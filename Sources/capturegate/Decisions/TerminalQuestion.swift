import Glibc

/// A question to be answered with yes or no at the terminal, never on standard input, which anything may feed.
struct TerminalQuestion: ~Copyable {
    private let descriptor: Int32

    /// - Returns: `nil` where there is no terminal.
    init?() {
        descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Whether the answer was `y` or `yes`; anything else, an empty line included, is no.
    borrowing func isConfirmed(_ question: String) -> Bool {
        // What was typed before the question stood there answers nothing.
        tcflush(descriptor, TCIFLUSH)
        guard (try? StandardStream(descriptor: descriptor).write(question)) != nil else { return false }
        var line = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &line, line.count)
        let answer = String(decoding: line.prefix(max(0, count)), as: UTF8.self)
        return ["y", "yes"].contains(answer.lowercased().filter { !$0.isWhitespace })
    }
}
