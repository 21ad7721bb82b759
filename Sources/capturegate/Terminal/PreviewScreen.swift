import CaptureGate
import CaptureRecording
import FoundationEssentials
import LinuxSystem

/// Terminal for a preview, with its graphics capabilities.
enum PreviewTerminal {
    /// Longest wait for an answer, milliseconds: long enough for a connection around the world; every
    /// terminal answers in the end.
    private static let patience = Duration.seconds(5)

    /// Area for the preview on standard error, where a recording's live row is.
    ///
    /// - Parameter besidesEvents: true if the recording is reported as events for a program.
    /// - Throws: `.usage` if no image can be shown.
    static func screen(besidesEvents: Bool) throws(CaptureError) -> PreviewScreen {
        let stream = StandardStream.error
        guard stream.canMoveCursor, stream.hasColours, !besidesEvents else {
            throw CaptureError(
                .usage, "--preview needs a terminal with colours.",
                remedies: [
                    Remedy("Remove --preview. Or run this at a terminal, without --json, and with NO_COLOR unset.")
                ])
        }
        return PreviewScreen(style: style(of: stream), size: TerminalSize(of: stream.descriptor))
    }

    /// Style by the terminal's answer; otherwise blocks in as many colours as it is known to have.
    private static func style(of stream: StandardStream) -> PreviewStyle {
        PreviewStyle(answer: ask(stream) ?? "") ?? (hasTrueColour ? .blocks : .fewColours)
    }

    /// True if COLORTERM promises 24-bit colours: the convention of terminals, since terminfo lacks a common
    /// entry for it.
    private static var hasTrueColour: Bool {
        ["truecolor", "24bit"].contains(ProcessInfo.processInfo.environment["COLORTERM"] ?? "")
    }

    /// Answer of the terminal; `nil` if it can't be asked.
    ///
    /// It arrives as if it were typed, so it is read from the terminal's own keyboard, without echo and
    /// without waiting for Enter. TCSAFLUSH discards what was typed before, so that it is not read as the answer.
    private static func ask(_ stream: StandardStream) -> String? {
        // A background process would be stopped for changing the terminal's mode.
        guard (try? Terminal().isForeground) == true, let keyboard = try? Terminal(.answers),
            (try? stream.write(PreviewStyle.question)) != nil
        else { return nil }
        var answer = ""
        while answer.utf8.count < 1024, !PreviewStyle.isWhole(answer),
            let bytes = (try? keyboard.read(upTo: 256, until: Deadline(after: patience))) ?? nil
        {
            answer += String(decoding: bytes, as: UTF8.self)
        }
        return answer
    }
}

/// Area of a terminal that a preview may cover.
struct PreviewScreen: Equatable {
    let style: PreviewStyle
    /// Terminal columns and lines.
    let columns: Int
    let rows: Int
    /// Size of a character in pixels.
    let cellWidth: Int
    let cellHeight: Int

    /// Widest preview in columns: a larger one would be slow to draw and not more useful.
    private static let widest = 80
    /// Lines left for text above and below the frame.
    private static let linesOfText = 5

    /// Area by the size that a terminal reports (TIOCGWINSZ); zeros in it mean unknown.
    init(style: PreviewStyle, size: TerminalSize) {
        self.style = style
        let (columns, rows) = (size.columns, size.rows)
        // One column less than there are: a full line would wrap in some terminals.
        self.columns = min(Self.widest, max(columns == 0 ? Self.widest : columns - 1, 8))
        self.rows = max((rows == 0 ? 24 : rows) - Self.linesOfText, 4)
        // Many terminals leave the pixels 0; a character of 8 x 16 is the usual one.
        cellWidth = columns > 0 && size.width > 0 ? max(size.width / columns, 1) : 8
        cellHeight = rows > 0 && size.height > 0 ? max(size.height / rows, 1) : 16
    }

    /// Largest frame that fits, in pixels.
    var bounds: (width: Int, height: Int) {
        isBlocks ? (columns, 2 * rows) : (columns * cellWidth, rows * cellHeight)
    }

    /// Drawing of a frame, with the cells that it covers.
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

/// Form in which a terminal shows images.
enum PreviewStyle: Equatable {
    /// Two pixels a character, by the colours of a half block, for any terminal with 24-bit colours.
    case blocks
    /// The same with the 216 colours of xterm's cube, which practically every colour terminal has.
    case fewColours
    /// Kitty's graphics protocol.
    case kitty
    /// Sixel graphics of DEC's terminals, which several emulators adopted.
    case sixel

    /// Style by a terminal's answer to ``question``; `nil` if it supports no graphics.
    ///
    /// Queried and not looked up by TERM: terminals claim to be xterm whatever they support.
    ///
    /// - Parameter answer: everything that was received.
    init?(answer: String) {
        if answer.contains("_Gi=31;OK") {
            self = .kitty
        } else if Self.attributes(in: answer).contains("4") {
            self = .sixel
        } else {
            return nil
        }
    }

    /// Query of kitty's protocol (`a=q`, one pixel), then of the primary device attributes (DA1, CSI c),
    /// which every terminal answers: once that answer is there, the other would have come before it.
    static let question = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c"

    /// True once the answer to DA1 is complete.
    static func isWhole(_ answer: String) -> Bool { answer.contains("\u{1B}[?") && answer.hasSuffix("c") }

    /// Attributes of DA1, such as 62 and 4 in `ESC [ ? 62 ; 4 c`: 4 stands for sixels.
    private static func attributes(in answer: String) -> [Substring] {
        guard let start = answer.firstRange(of: "\u{1B}[?") else { return [] }
        return answer[start.upperBound...].prefix { $0 != "c" }.split(separator: ";").dropFirst().map { $0 }
    }
}
