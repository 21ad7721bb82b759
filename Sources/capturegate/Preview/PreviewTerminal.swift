import CaptureGate
import FoundationEssentials
import Glibc

/// Asks the terminal how it can show pictures.
enum PreviewTerminal {
    /// How long a terminal may take; those across the world do, and each answers in the end. Milliseconds.
    private static let patience: Int32 = 5000

    /// The terminal that a recording is told on.
    ///
    /// - Parameter besidesEvents: whether it is told as events for a program.
    /// - Throws: `.usage` where no picture can be shown.
    static func screen(besidesEvents: Bool) throws(CaptureError) -> PreviewScreen {
        let stream = StandardStream.error
        guard stream.canMoveCursor, stream.hasColours, !besidesEvents else {
            throw CaptureError(
                .usage, "There is no terminal with colours to show a preview on.",
                remedies: [Remedy("Leave --preview out, or run it at a terminal, without --json and NO_COLOR.")])
        }
        var size = winsize()
        _ = ioctl(stream.descriptor, UInt(TIOCGWINSZ), &size)
        return PreviewScreen(style: style(of: stream), size: size)
    }

    private static func style(of stream: StandardStream) -> PreviewStyle {
        PreviewStyle(answer: ask(stream) ?? "") ?? (hasTrueColour ? .blocks : .fewColours)
    }

    private static var hasTrueColour: Bool {
        ["truecolor", "24bit"].contains(ProcessInfo.processInfo.environment["COLORTERM"] ?? "")
    }

    /// The answer comes as if it were typed, so it is read from the terminal's own keyboard, unseen, and what was typed
    /// meanwhile is thrown away.
    private static func ask(_ stream: StandardStream) -> String? {
        let keyboard = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard keyboard >= 0 else { return nil }
        defer { close(keyboard) }
        var mode = termios()
        guard tcgetpgrp(keyboard) == getpgrp(), tcgetattr(keyboard, &mode) == 0 else { return nil }
        var raw = mode
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(keyboard, TCSAFLUSH, &raw) == 0 else { return nil }
        defer { tcsetattr(keyboard, TCSAFLUSH, &mode) }
        guard (try? stream.write(PreviewStyle.question)) != nil else { return nil }
        return read(keyboard)
    }

    private static func read(_ keyboard: Int32) -> String {
        var answer = ""
        var bytes = [UInt8](repeating: 0, count: 256)
        var item = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
        while answer.utf8.count < 1024, !PreviewStyle.isWhole(answer), poll(&item, 1, patience) > 0 {
            let count = Glibc.read(keyboard, &bytes, bytes.count)
            guard count > 0 else { break }
            answer += String(decoding: bytes[..<count], as: UTF8.self)
        }
        return answer
    }
}
