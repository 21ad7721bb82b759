import Dispatch
import Glibc
import Synchronization

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
