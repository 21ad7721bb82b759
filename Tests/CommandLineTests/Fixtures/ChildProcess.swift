import Glibc
import Synchronization

/// A program that runs in a separate session, so that there is no terminal to ask at unless it is given one.
///
/// Its standard output is a pipe, read here; its standard error is a file.
final class ChildProcess: Sendable {
    let id: pid_t
    private let output: Int32
    private let unread = Mutex<[UInt8]>([])
    private let errors: String
    /// Between the making of a pipe and its mark no other program may be started: it would hold the pipe open.
    private static let starting = Mutex(())
    /// How long a test waits for anything before it gives the program up.
    private static let patience: Int32 = 300_000

    /// - Parameter terminal: the path of a terminal that becomes the session's own.
    init(_ command: [String], in workspace: Workspace, terminal: String? = nil) throws {
        let errors = workspace.file("stderr-\(UInt64.random(in: 0...UInt64.max))")
        self.errors = errors
        (output, id) = try Self.starting.withLock { _ in
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw Failure("no pipe could be had") }
            defer { close(ends[1]) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            let spawn = Spawn(
                command: command, environment: workspace.environment, folder: workspace.path,
                input: terminal ?? "/dev/null", output: ends[1], errors: errors)
            return (ends[0], try spawn.start())
        }
    }

    deinit { close(output) }

    func send(_ signal: Int32) { kill(id, signal) }

    /// Reads standard output up to a line that holds the text.
    func waitForLine(containing text: String) async throws -> String {
        try await offPool {
            while let line = try self.nextLine() {
                if line.contains(text) { return line }
            }
            throw Failure("the output ended before a line with \(text)")
        }
    }

    /// Waits for the end.
    func finish() async throws -> Ending {
        try await offPool {
            var text = self.unread.withLock { $0 }
            while case let more = try self.read(), !more.isEmpty { text += more }
            var status: Int32 = 0
            guard waitpid(self.id, &status, 0) == self.id else { throw Failure("the program could not be waited for") }
            let isSignal = status & 0x7F != 0
            return Ending(
                code: isSignal ? -(status & 0x7F) : (status >> 8) & 0xFF,
                output: String(decoding: text, as: UTF8.self), errors: try Workspace.text(at: self.errors))
        }
    }

    /// `nil` at the end.
    private func nextLine() throws -> String? {
        try unread.withLock { unread in
            while true {
                if let end = unread.firstIndex(of: 0x0A) {
                    defer { unread.removeFirst(end + 1) }
                    return String(decoding: unread[..<end], as: UTF8.self)
                }
                let more = try read()
                guard !more.isEmpty else { return nil }
                unread += more
            }
        }
    }

    private func read() throws -> [UInt8] {
        var item = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard poll(&item, 1, Self.patience) > 0 else {
            kill(id, SIGKILL)
            throw Failure("the program said nothing for a minute")
        }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(output, &bytes, bytes.count)
        return Array(bytes[..<max(0, count)])
    }
}

/// How a program ended.
struct Ending: Sendable {
    /// The exit status; of a program that a signal ended, the signal's number, negative.
    let code: Int32
    let output: String
    let errors: String
}
