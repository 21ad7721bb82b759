import FoundationEssentials
import LinuxSystem

/// Standard output or standard error, unbuffered.
///
/// Not `print`: stdio holds back a pipe's output until 4 KiB are full, and `capturegate record --json | jq`
/// would see each event late. It also hides failed writes.
struct StandardStream: Sendable {
    let descriptor: RawDescriptor

    static let output = StandardStream(descriptor: .standardOutput)
    static let error = StandardStream(descriptor: .standardError)

    /// True if the stream is a terminal (isatty(3)).
    var isTerminal: Bool { descriptor.isTerminal }

    /// True if colours may be used: on a terminal that is not dumb, unless NO_COLOR is set and not empty
    /// (no-color.org).
    var hasColours: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// True if a line can be drawn again. NO_COLOR says nothing about that; `TERM=dumb` does.
    var canMoveCursor: Bool { isTerminal && ProcessInfo.processInfo.environment["TERM"] != "dumb" }

    /// Characters in a row of the terminal (TIOCGWINSZ), 80 if it reports none. Read each time:
    /// windows are resized.
    var columns: Int {
        let columns = TerminalSize(of: descriptor).columns
        return columns > 0 ? columns : 80
    }

    /// Writes all of the text.
    ///
    /// - Throws: `.closed` if nobody reads the pipe any more, `.failed` for any other error.
    func write(_ text: String) throws(StreamFailure) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            guard let count = try? descriptor.write(Array(bytes)), count > 0 else {
                throw isPipe ? .closed : .failed(self)
            }
            bytes = bytes.dropFirst(count)
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
        !Poll.wait(for: descriptor.number, .output, milliseconds: Int32(time / .milliseconds(1))).isEmpty
    }

    /// True for a pipe or a socket: since SIGPIPE is ignored, a write fails only because it has no reader.
    private var isPipe: Bool {
        let kind = try? FileStatus.of(descriptor).get().kind
        return kind == .pipe || kind == .socket
    }
}
