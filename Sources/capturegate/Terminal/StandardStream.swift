import FoundationEssentials
import Glibc

/// Standard output or standard error, unbuffered.
///
/// Not `print`: stdio holds back a pipe's output until 4 KiB are full, and `capturegate record --json | jq`
/// would see each event late. It also hides failed writes.
struct StandardStream: Sendable {
    let descriptor: Int32

    static let output = StandardStream(descriptor: 1)
    static let error = StandardStream(descriptor: 2)

    /// True if the stream is a terminal (isatty(3)).
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// True if colours may be used: on a terminal that is not dumb, unless NO_COLOR is set and not empty
    /// (no-color.org).
    var hasColours: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// True if a line can be drawn again. NO_COLOR says nothing about that; `TERM=dumb` does.
    var canMoveCursor: Bool { isTerminal && ProcessInfo.processInfo.environment["TERM"] != "dumb" }

    /// Characters in a row of the terminal (TIOCGWINSZ), 80 where it does not say. Read anew each time:
    /// windows are resized.
    var columns: Int {
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Writes all of the text.
    ///
    /// - Throws: `.closed` where nobody reads the pipe any more, `.failed` for any other error.
    func write(_ text: String) throws(StreamFailure) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            // A write may take a part only; the rest follows.
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            // No signal has a handler, so a write is not interrupted (EINTR).
            guard written > 0 else { throw isPipe ? .closed : .failed(self) }
            bytes = bytes.dropFirst(written)
        }
    }

    /// Writes one line in which a terminal obeys nothing but line breaks and this program's own styles.
    func line(_ text: String) throws(StreamFailure) { try write(TextStyle.sanitized(text) + "\n") }

    /// Writes lines in a single call: a reader that polls sees a listing as a whole.
    func lines(_ lines: [String]) throws(StreamFailure) {
        try write(lines.map { TextStyle.sanitized($0) + "\n" }.joined())
    }

    /// Writes a line that is not worth waiting or stopping for.
    func note(_ text: String) { try? line(text) }

    /// True if something can be written now or within `time`.
    ///
    /// - Parameter time: up to some seconds. A stream with an error counts as writable: the write reports it.
    func isWritable(within time: Duration) -> Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&item, 1, Int32(time / .milliseconds(1))) != 0
    }

    /// True for a pipe or a socket: a write to one fails only for want of a reader, since SIGPIPE is ignored.
    private var isPipe: Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFIFO || status.st_mode & S_IFMT == S_IFSOCK
    }
}
