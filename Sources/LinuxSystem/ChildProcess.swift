import CSystem

/// A program that runs in a separate session, with its streams and its end.
///
/// *thread-safe*; `run` blocks.
package struct ChildProcess: Hashable, Sendable {
    /// Absolute path: PATH is not searched.
    package let path: String
    /// Arguments after the program's name.
    package let arguments: [String]
    /// The complete environment; nothing is inherited.
    let environment: [String: String]

    package init(path: String, arguments: [String], environment: [String: String]) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
    }

    /// The end of a program.
    package enum Ending: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
        case timedOut
        case cancelled
        /// The end is unknown, for instance because the process around this library ignores SIGCHLD.
        case lost(Errno)
    }

    /// Result of a program that has ended.
    package struct Outcome: Hashable, Sendable {
        package let ending: Ending
        /// Standard output, at most 64 KiB.
        package let text: String
        /// Standard error, at most 64 KiB.
        package let diagnostics: String
    }

    /// Runs the program until it ends, and kills the rest of its process group.
    ///
    /// The corresponding C functions are `posix_spawn`, `pidfd_open` and `waitid`.
    ///
    /// - Parameters:
    ///   - deadline: time at which it is killed.
    ///   - cancel: a descriptor that becomes readable when the run is cancelled; the program is then killed, too.
    /// - Throws: the error that kept it from being started.
    package func run(until deadline: Deadline, cancel: Int32) throws(Errno) -> Outcome {
        var text = try ChildPipe()
        var diagnostics = try ChildPipe()
        let pid = try start(text: &text, diagnostics: &diagnostics)
        let isOver = cs_pidfd_open(pid)
        defer { cs_close(isOver) }
        let early =
            isOver < 0
            ? .lost(Errno(result: isOver)) : Self.wait(isOver, &text, &diagnostics, until: deadline, cancel: cancel)
        // The group before the wait: until then its number can't be reused.
        cs_kill_group(pid, SIGKILL)
        let ending = Self.ending(of: pid)
        text.drain()
        diagnostics.drain()
        return Outcome(ending: early ?? ending, text: text.text, diagnostics: diagnostics.text)
    }

    private func start(text: inout ChildPipe, diagnostics: inout ChildPipe) throws(Errno) -> Int32 {
        let (output, errors) = (text.writing ?? -1, diagnostics.writing ?? -1)
        let started = CStrings.with([path] + arguments) { arguments in
            CStrings.with(environment.map { "\($0.key)=\($0.value)" }.sorted()) { environment in
                cs_spawn(path, arguments, environment, Int32(CS_NO_DESCRIPTOR), output, errors)
            }
        }
        text.closeWriting()
        diagnostics.closeWriting()
        return try checked(started)
    }

    /// - Returns: `nil` if the program has ended by itself.
    private static func wait(
        _ isOver: Int32, _ text: inout ChildPipe, _ diagnostics: inout ChildPipe, until deadline: Deadline,
        cancel: Int32
    ) -> Ending? {
        while true {
            var items = [PollItem(cancel), PollItem(isOver), PollItem(text.reading), PollItem(diagnostics.reading)]
            do throws(Errno) {
                if try Poll.wait(for: &items, until: deadline) == 0 { return .timedOut }
            } catch {
                return .lost(error)
            }
            if items[0].isReady { return .cancelled }
            if items[2].isReady { text.read() }
            if items[3].isReady { diagnostics.read() }
            if items[1].isReady { return nil }
        }
    }

    private static func ending(of pid: Int32) -> Ending {
        var ending = cs_ending()
        let outcome = cs_wait(pid, 1, &ending)
        guard outcome == 1 else { return .lost(Errno(result: outcome)) }
        return ending.is_signal != 0 ? .killed(signal: ending.number) : .exited(ending.number)
    }
}

/// Two ends of a pipe that a child writes to, closed with the value, and the bytes received so far.
private struct ChildPipe: ~Copyable {
    /// The child's end; `nil` once it is closed here.
    private(set) var writing: Int32?
    private(set) var bytes: [UInt8] = []
    /// -1 once the other side has closed it; poll(2) ignores that.
    private(set) var reading: Int32

    /// Bytes that are kept; further ones are read and discarded.
    private static let limit = 65_536

    init() throws(Errno) {
        var (reading, writing): (Int32, Int32) = (-1, -1)
        try checked(cs_pipe(&reading, &writing))
        self.reading = reading
        self.writing = writing
    }

    deinit {
        if let writing { cs_close(writing) }
        if reading >= 0 { cs_close(reading) }
    }

    /// Closes this side's copy once the child has the descriptor.
    mutating func closeWriting() {
        if let writing { cs_close(writing) }
        writing = nil
    }

    /// Reads once; call it only when poll(2) reports input.
    mutating func read() {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let got = cs_read(reading, &chunk, chunk.count)
        guard got > 0 else {
            cs_close(reading)
            reading = -1
            return
        }
        bytes += chunk.prefix(min(Int(got), Self.limit - bytes.count))
    }

    /// Reads the bytes that are already there.
    mutating func drain() {
        while reading >= 0 {
            guard !Poll.wait(for: reading, milliseconds: 0).isEmpty else { return }
            read()
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}
/// Arguments and environments in C's form: pointers to strings, and `nil` at the end.
enum CStrings {
    /// - Parameter body: receives pointers that are valid until it returns. A string is cut at a NUL in it.
    static func with<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var bytes: [CChar] = []
        var offsets: [Int] = []
        for string in strings {
            offsets.append(bytes.count)
            bytes += string.utf8.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
        }
        return bytes.withUnsafeMutableBufferPointer { buffer in
            let pointers = offsets.map { offset in buffer.baseAddress.map { $0 + offset } } + [nil]
            return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
        }
    }
}
