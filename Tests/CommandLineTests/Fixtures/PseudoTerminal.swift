import Glibc
import Synchronization

/// A terminal whose keyboard and screen are here.
final class PseudoTerminal: Sendable {
    let path: String
    private let keyboard: Int32
    private let shown = Mutex("")

    init() throws {
        keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var number: UInt32 = 0
        var isLocked: Int32 = 0
        // TIOCSPTLCK and TIOCGPTN: what unlockpt(3) and ptsname(3) do.
        guard keyboard >= 0, ioctl(keyboard, 0x4004_5431, &isLocked) == 0, ioctl(keyboard, 0x8004_5430, &number) == 0
        else { throw Failure("no pseudo-terminal could be had") }
        path = "/dev/pts/\(number)"
    }

    deinit { close(keyboard) }

    /// Treatment of keys and echo (c_lflag of termios(3)).
    var mode: UInt32 {
        var settings = termios()
        return tcgetattr(keyboard, &settings) == 0 ? settings.c_lflag : 0
    }

    /// Everything that was shown so far.
    var screen: String { shown.withLock { $0 } }

    /// Everything that was shown, what nobody has read yet included. Nobody may wait at the same time.
    var everything: String {
        var item = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
        while poll(&item, 1, 0) > 0, item.revents & Int16(POLLIN) != 0, (try? readMore(for: "")) != nil {}
        return screen
    }

    /// Reads until the screen has shown the text, and types what answers it, at once.
    func wait(for text: String, answering keys: String = "") async throws {
        try await offPool {
            while !self.screen.contains(text) { try self.readMore(for: text) }
            self.type(keys)
        }
    }

    /// Reads until the screen is as it should be.
    func wait(until isShown: @escaping @Sendable (String) -> Bool) async throws {
        try await offPool { while !isShown(self.screen) { try self.readMore(for: "what it should") } }
    }

    /// Reads until nobody has the terminal open any more: one that is not read is full before long, and who writes waits.
    func drain() async throws {
        try await offPool { while (try? self.readMore(for: "")) != nil {} }
    }

    func type(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = write(keyboard, bytes, bytes.count)
    }

    private func readMore(for text: String) throws {
        var item = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
        guard poll(&item, 1, 300_000) > 0 else { throw Failure("the screen never showed \(text): \(screen)") }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(keyboard, &bytes, bytes.count)
        guard count > 0 else { throw Failure("the terminal was closed before it showed \(text): \(screen)") }
        shown.withLock { $0 += String(decoding: bytes[..<count], as: UTF8.self) }
    }
}
