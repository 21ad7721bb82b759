import FoundationEssentials
import Glibc

/// What keeps a probe from doing its work: the machine's fault, not that of the program under test.
package struct ProbeFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// A program to run, with files for what it says.
package struct Program: Sendable {
    /// Searched on PATH if it has no slash.
    package var path: String
    package var arguments: [String]
    /// Added to this process's own.
    package var environment: [String: String] = [:]
    /// Receives its output; the file is created again.
    package var output = "/dev/null"
    package var errors = "/dev/null"
    /// Descriptors in place of an empty input and of ``output``.
    package var inputDescriptor: Int32?
    package var outputDescriptor: Int32?

    package init(_ path: String, _ arguments: [String]) {
        self.path = path
        self.arguments = arguments
    }

    package func start() throws(ProbeFailure) -> RunningProgram {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let inputDescriptor {
            posix_spawn_file_actions_adddup2(&actions, inputDescriptor, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        if let outputDescriptor {
            posix_spawn_file_actions_adddup2(&actions, outputDescriptor, 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var variables = environ(with: environment).map { strdup($0) } + [nil]
        defer { for word in words + variables { free(word) } }
        var id = pid_t()
        let code = posix_spawnp(&id, path, &actions, nil, &words, &variables)
        guard code == 0 else { throw ProbeFailure("\(path) can't be run: \(String(cString: strerror(code)))") }
        return RunningProgram(id)
    }

    /// Runs it to its end.
    package func run() throws(ProbeFailure) -> Int32 { try start().end() }

    /// Runs it to its end, and returns its standard output.
    ///
    /// - Parameter file: stores the output meanwhile.
    /// - Throws: if it can't be run, or fails.
    package func said(in file: String) throws(ProbeFailure) -> String {
        var program = self
        program.output = file
        let code = try program.run()
        guard code == 0 else { throw ProbeFailure("\(([path] + arguments).joined(separator: " ")) ended with \(code)") }
        return text(of: file)
    }

    private func environ(with changes: [String: String]) -> [String] {
        ProcessInfo.processInfo.environment.merging(changes) { _, new in new }.map { "\($0.key)=\($0.value)" }
    }
}

/// A running program. Its starter waits for its end.
///
/// *session-bound*
package final class RunningProgram {
    private let id: pid_t
    private var code: Int32?

    fileprivate init(_ id: pid_t) { self.id = id }

    package func send(_ signal: Int32) { if code == nil { kill(id, signal) } }

    package var hasEnded: Bool {
        if code == nil { look(WNOHANG) }
        return code != nil
    }

    /// Waits for the end.
    ///
    /// - Returns: its exit code, or the number of the signal that ended it, below 0.
    @discardableResult
    package func end() -> Int32 {
        while code == nil { look(0) }
        return code ?? -1
    }

    private func look(_ options: Int32) {
        var status: Int32 = 0
        guard waitpid(id, &status, options) == id else { return }
        code = status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }
}

/// A file's whole text; empty if none exists.
package func text(of path: String) -> String {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
}

/// Waits until a condition is true, for at most this number of seconds; checks every hundredth of a second by default.
///
/// - Returns: true if it is true.
@discardableResult
package func wait(seconds: Int, every microseconds: UInt32 = 10_000, until holds: () -> Bool) -> Bool {
    for _ in 0..<max(1, seconds * 1_000_000 / Int(microseconds)) {
        if holds() { return true }
        usleep(microseconds)
    }
    return holds()
}

/// Nanoseconds of a clock of clock_gettime(2).
package func nanoseconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
