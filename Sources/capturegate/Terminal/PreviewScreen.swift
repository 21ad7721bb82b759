import CaptureEncoding
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

/// How much room a terminal has for a picture.
struct PreviewScreen: Equatable {
    let style: PreviewStyle
    /// Characters and lines.
    let columns: Int
    let rows: Int
    /// Pixels of a character.
    let cellWidth: Int
    let cellHeight: Int

    /// The widest that is drawn: more would be slow, and is seen no better.
    private static let widest = 80
    /// For what is told, above the picture and below.
    private static let linesOfText = 5

    init(style: PreviewStyle, size: winsize) {
        self.style = style
        let (columns, rows) = (Int(size.ws_col), Int(size.ws_row))
        self.columns = min(Self.widest, max(columns == 0 ? Self.widest : columns - 1, 8))
        self.rows = max((rows == 0 ? 24 : rows) - Self.linesOfText, 4)
        // Many terminals do not say; a character of 8 x 16 is the usual one.
        cellWidth = columns > 0 && size.ws_xpixel > 0 ? max(Int(size.ws_xpixel) / columns, 1) : 8
        cellHeight = rows > 0 && size.ws_ypixel > 0 ? max(Int(size.ws_ypixel) / rows, 1) : 16
    }

    /// The largest picture that there is room for, pixels.
    var bounds: (width: Int, height: Int) {
        isBlocks ? (columns, 2 * rows) : (columns * cellWidth, rows * cellHeight)
    }

    func drawing(of picture: Thumbnail) -> PreviewDrawing {
        guard !isBlocks else {
            return PreviewDrawing(style: style, columns: picture.width, rows: (picture.height + 1) / 2)
        }
        return PreviewDrawing(
            style: style, columns: (picture.width + cellWidth - 1) / cellWidth,
            rows: (picture.height + cellHeight - 1) / cellHeight)
    }

    private var isBlocks: Bool { style == .blocks || style == .fewColours }
}

/// How a terminal shows pictures.
enum PreviewStyle: Equatable {
    /// Two pixels a character, by the colours of a half block: any terminal with 24-bit colours.
    case blocks
    /// The same with the 216 colours that every colour terminal has.
    case fewColours
    /// Kitty's graphics protocol.
    case kitty
    /// DEC's sixels.
    case sixel

    /// Reads a terminal's answer to ``question``.
    ///
    /// - Parameter answer: what came back, of both.
    init?(answer: String) {
        if answer.contains("_Gi=31;OK") {
            self = .kitty
        } else if Self.attributes(in: answer).contains("4") {
            self = .sixel
        } else {
            return nil
        }
    }

    /// Whether pictures of kitty's protocol are understood, then the primary device attributes, which every terminal
    /// answers: with their answer, all have come.
    static let question = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c"

    static func isWhole(_ answer: String) -> Bool { answer.contains("\u{1B}[?") && answer.hasSuffix("c") }

    /// `ESC [ ? 62 ; 4 c`: 4 stands for sixels.
    private static func attributes(in answer: String) -> [Substring] {
        guard let start = answer.range(of: "\u{1B}[?") else { return [] }
        return answer[start.upperBound...].prefix { $0 != "c" }.split(separator: ";").dropFirst().map { $0 }
    }
}
