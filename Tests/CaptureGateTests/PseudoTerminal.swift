import CaptureGate
import Dispatch
import Glibc

/// A terminal of the kernel's own, and the person who sits at it.
final class PseudoTerminal: Sendable {
    struct Failure: Error {
        let what: String
    }

    /// What a program opens.
    let path: String
    private let person: Int32
    /// Keeps the terminal alive while no program has it open.
    private let other: Int32
    private let shown = Locked<[UInt8]>([])
    /// How long the person waits for words before the test has failed.
    private static let patience: Int32 = 300_000

    /// TIOCSPTLCK and TIOCGPTN, ioctl_tty(2): Swift's Glibc has neither them nor posix_openpt.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    init() throws {
        person = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (locked, number): (Int32, Int32) = (0, 0)
        guard person >= 0, ioctl(person, Self.setLock, &locked) == 0, ioctl(person, Self.getNumber, &number) == 0 else {
            throw Failure(what: "no terminal")
        }
        path = "/dev/pts/\(number)"
        other = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard other >= 0 else { throw Failure(what: "it can't be opened") }
    }

    deinit {
        close(person)
        close(other)
    }

    /// Everything that was written to the screen so far.
    var screen: String { shown.withLock { String(decoding: $0, as: UTF8.self) } }

    func type(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = write(person, bytes, bytes.count)
    }

    func resize(columns: UInt16) {
        var size = winsize(ws_row: 5, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(person, UInt(TIOCSWINSZ), &size)
    }

    /// Reads the screen until it has shown a text this number of times, and then types at once, without waiting until a busy pool
    /// has a thread for the test again.
    func wait(for text: String, times: Int = 1, thenType keys: String = "") async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue(label: "person").async {
                continuation.resume(
                    with: Result {
                        try self.read(until: text, times: times)
                        if !keys.isEmpty { self.type(keys) }
                    })
            }
        }
    }

    private func read(until text: String, times: Int) throws {
        while screen.split(separator: text, omittingEmptySubsequences: false).count <= times {
            var item = pollfd(fd: person, events: Int16(POLLIN), revents: 0)
            guard poll(&item, 1, Self.patience) > 0 else { throw Failure(what: "the screen never showed \(text)") }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let got = Glibc.read(person, &chunk, chunk.count)
            guard got > 0 else { throw Failure(what: "the terminal is gone") }
            shown.withLock { $0 += chunk.prefix(got) }
        }
    }

    /// True if lines are edited by the terminal, keys echoed, and Ctrl-C a signal, as at the start.
    var isAsAtFirst: Bool {
        var mode = termios()
        guard tcgetattr(other, &mode) == 0 else { return false }
        let usual = tcflag_t(ICANON | ECHO | ISIG)
        return mode.c_lflag & usual == usual
    }

    /// How many bytes were typed that nobody has read.
    var unread: Int32 {
        var count: Int32 = 0
        _ = ioctl(other, UInt(FIONREAD), &count)
        return count
    }
}
