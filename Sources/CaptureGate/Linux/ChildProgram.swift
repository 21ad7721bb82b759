import CSystem

/// A program to run in a session of its own, with what it gets.
struct ChildProgram: Hashable, Sendable {
    /// Absolute: nothing is looked for in PATH.
    let path: String
    /// Those after the program's name.
    let arguments: [String]
    /// All of it.
    let environment: [String: String]

    enum Ending: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
        case timedOut
        case cancelled
        /// How it ended can't be known, as where the process around this library ignores SIGCHLD.
        case lost(errno: Int32)
    }

    struct Outcome: Hashable, Sendable {
        let ending: Ending
        let text: String
        let diagnostics: String
    }

    /// Blocks until the program has ended. What is left of its process group is killed.
    ///
    /// - Parameter cancel: a descriptor that turns readable when nobody waits any more.
    /// - Throws: where it can't be started.
    func run(until deadline: Deadline, cancel: Int32) throws(Errno) -> Outcome {
        var text = try ChildPipe()
        var diagnostics = try ChildPipe()
        let pid = try start(text: &text, diagnostics: &diagnostics)
        let isOver = cs_pidfd_open(pid)
        defer { cs_close(isOver) }
        let early =
            isOver < 0
            ? .lost(errno: -isOver) : Self.wait(isOver, &text, &diagnostics, until: deadline, cancel: cancel)
        // The group before the wait: until then its number can't become another's.
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
        guard started > 0 else { throw Errno(-started) }
        return started
    }

    /// - Returns: `nil` when the program has ended by itself.
    private static func wait(
        _ isOver: Int32, _ text: inout ChildPipe, _ diagnostics: inout ChildPipe, until deadline: Deadline,
        cancel: Int32
    ) -> Ending? {
        while true {
            var items = [cancel, isOver, text.reading, diagnostics.reading].map { descriptor in
                cs_poll_item(fd: descriptor, events: Int16(CS_POLL_IN), revents: 0)
            }
            let ready = cs_poll_until(&items, items.count, deadline.nanoseconds)
            if ready < 0 { return .lost(errno: -ready) }
            if ready == 0 { return .timedOut }
            if items[0].revents != 0 { return .cancelled }
            if items[2].revents != 0 { text.read() }
            if items[3].revents != 0 { diagnostics.read() }
            if items[1].revents != 0 { return nil }
        }
    }

    private static func ending(of pid: Int32) -> Ending {
        var ending = cs_ending()
        let outcome = cs_wait(pid, 1, &ending)
        guard outcome == 1 else { return .lost(errno: -outcome) }
        return ending.is_signal != 0 ? .killed(signal: ending.number) : .exited(ending.number)
    }
}
