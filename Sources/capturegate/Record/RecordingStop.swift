import CaptureEncoding
import CaptureGate
import Dispatch
import Glibc
import Synchronization

/// What a signal does to a recording: it dismisses the question that is open, it ends the recording that runs, and the
/// second one gives up a recording that does not get finished.
final class RecordingStop: Sendable {
    let control: RecordingControl
    private let state = Locked(State())

    private struct State {
        var isRecording = false
        var cancel: (@Sendable () -> Void)?
        var first: ContinuousClock.Instant?
    }

    /// What the unfinished files are called.
    private let partial: [String]

    /// - Parameter partial: paths; of several files, a pattern with `NNNN` in it.
    init(partial: [String]) throws(CaptureError) {
        self.partial = partial
        control = try RecordingControl()
    }

    /// The operation waits, maybe for an answer, for its moment, or for a device to open: a signal cancels it.
    func cancels(_ cancel: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.cancel = cancel
            return state.first != nil
        }
        if isLate { cancel() }
    }

    /// The devices are open: from now on a signal ends the recording, and the file is finished.
    func begin() { state.withLock { $0.isRecording = true } }

    func receive(_ number: Int32) {
        guard number != SIGUSR1 else { return control.begin() }
        let action = state.withLock { Self.action(&$0, at: .now) }
        switch action {
        case .stop: control.stop()
        case .cancel(let cancel): cancel?()
        case .wait: break
        case .abort: abort()
        }
    }

    private enum Action {
        case stop
        case cancel((@Sendable () -> Void)?)
        case wait
        case abort
    }

    /// One Ctrl-C may come twice, from the terminal and from a parent that passes it on; a person takes longer.
    private static let echo = Duration.milliseconds(300)

    private static func action(_ state: inout State, at now: ContinuousClock.Instant) -> Action {
        guard let first = state.first else {
            state.first = now
            return state.isRecording ? .stop : .cancel(state.cancel)
        }
        return now - first < echo ? .wait : .abort
    }

    private func abort() -> Never {
        var rest = ""
        // One of several outputs may be finished already.
        let left = partial.filter { $0.contains("-NNNN") || access($0, F_OK) == 0 }.map(\.visible)
        if !left.isEmpty { rest = "; what was recorded stays in \(left.joined(separator: " and "))" }
        StandardStream.error.note("capturegate: Given up before the clip was finished\(rest).")
        _exit(CaptureError(.inputOutput, "").exitCode)
    }
}

/// Waits for the Enter key at the terminal, never on standard input, which anything may feed.
final class EnterKeyListener: Sendable {
    private let isOver = Atomic(false)

    /// - Parameter action: called once, on a thread of its own.
    init(_ action: @escaping @Sendable () -> Void) {
        let terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard terminal >= 0 else { return }
        // What was typed before asks for nothing; who is in the background may not even do that.
        if Self.isForeground(terminal) { tcflush(terminal, TCIFLUSH) }
        DispatchQueue(label: "capturegate.enter").async { [self] in
            defer { close(terminal) }
            if waitForLine(terminal) { action() }
        }
    }

    func end() { isOver.store(true, ordering: .releasing) }

    private static let interval: Int32 = 100

    private static func isForeground(_ terminal: Int32) -> Bool { tcgetpgrp(terminal) == getpgrp() }

    private func waitForLine(_ terminal: Int32) -> Bool {
        while !isOver.load(ordering: .acquiring) {
            var item = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            // Who reads in the background is stopped.
            guard poll(&item, 1, Self.interval) > 0, Self.isForeground(terminal) else {
                if item.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { return false }
                if item.revents != 0 { usleep(UInt32(Self.interval) * 1000) }
                continue
            }
            var byte: UInt8 = 0
            while read(terminal, &byte, 1) == 1 { if byte == 0x0A { return true } }
        }
        return false
    }
}
