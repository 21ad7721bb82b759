import FoundationEssentials
import Glibc

/// Standard output or standard error, written at once: whoever reads a pipe has each line when it was written.
struct StandardStream: Sendable {
    let descriptor: Int32

    static let output = StandardStream(descriptor: 1)
    static let error = StandardStream(descriptor: 2)

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Whether colours may be used: on a terminal that is not dumb, unless NO_COLOR is set (no-color.org).
    var hasColours: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Whether it understands how to draw over a line again.
    var canMoveCursor: Bool { isTerminal && ProcessInfo.processInfo.environment["TERM"] != "dumb" }

    /// How many characters a line of the terminal has; 80 where it does not say.
    var columns: Int {
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Writes all of the text.
    ///
    /// - Throws: `.closed` where nobody reads the pipe any more, `.failed` for anything else.
    func write(_ text: String) throws(StreamFailure) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { throw isPipe ? .closed : .failed(self) }
            bytes = bytes.dropFirst(written)
        }
    }

    /// A line in which nothing is obeyed but line breaks and our own colours: what should have been made visible before, and
    /// was not, is so here.
    func line(_ text: String) throws(StreamFailure) { try write(TextStyle.sanitized(text) + "\n") }

    func lines(_ lines: [String]) throws(StreamFailure) {
        try write(lines.map { TextStyle.sanitized($0) + "\n" }.joined())
    }

    /// A line that is worth nothing to wait or to stop for.
    func note(_ text: String) { try? line(text) }

    /// Whether something can be written at once, or before that time has passed.
    func isWritable(within time: Duration) -> Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&item, 1, Int32(time / .milliseconds(1))) != 0
    }

    /// A pipe or a socket: what fails to be written there has no reader, since SIGPIPE is ignored.
    private var isPipe: Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFIFO || status.st_mode & S_IFMT == S_IFSOCK
    }
}
