import CaptureRecording
import FoundationEssentials

/// Camera's preview above a recording's live row.
struct PreviewView: EventView {
    let stream: StandardStream
    let screen: PreviewScreen
    private var line: LiveView
    /// True once the start was announced, whose lines are above the frame.
    private var isStarted = false
    /// Frame that arrived before the start was announced.
    private var early: Thumbnail?
    /// Lines of the frame directly above the live row; 0 after other text was written.
    private var drawnRows = 0

    init(_ screen: PreviewScreen, above line: LiveView) {
        self.screen = screen
        self.line = line
        stream = line.stream
    }

    /// Draws a frame, or passes the event on. Any text but progress scrolls, so the next frame is drawn below
    /// it.
    mutating func show(_ event: RecordingEvent) {
        switch event {
        case .preview(let picture): if isStarted { draw(picture) } else { early = picture }
        case .progress: line.show(event)
        default:
            line.show(event)
            drawnRows = 0
            switch event {
            case .started, .waiting: start()
            default: break
            }
        }
    }

    /// Draws the frame that arrived before the start.
    private mutating func start() {
        isStarted = true
        if let early { draw(early) }
        early = nil
    }

    /// Draws a frame in place of the last one.
    private mutating func draw(_ picture: Thumbnail) {
        let drawing = screen.drawing(of: picture)
        // In one piece if the terminal supports synchronized output (private mode 2026), which avoids
        // flicker; others ignore it.
        var text = "\u{1B}[?2026h\r"
        // New lines in place of the live row make space at the bottom of the screen, too. Otherwise the cursor returns to the
        // frame's first line.
        if drawnRows == 0 { text += "\u{1B}[K" + String(repeating: "\n", count: drawing.rows) }
        text += "\u{1B}[\(drawnRows == 0 ? drawing.rows : drawnRows)A"
        text += drawing.text(of: picture) + "\u{1B}[?2026l"
        drawnRows = drawing.rows
        try? stream.write(text)
    }
}

/// Frame as the characters and escape sequences that draw it.
///
/// The cursor begins at the left of the first of ``rows`` lines, and ends below the last.
struct PreviewDrawing {
    let style: PreviewStyle
    /// Terminal columns and lines that the frame covers.
    let columns: Int
    let rows: Int

    /// Text that draws a frame in the terminal's style.
    func text(of picture: Thumbnail) -> String {
        switch style {
        case .blocks, .fewColours: blocks(picture)
        case .kitty: placed(kitty(picture))
        case .sixel: placed(SixelEncoder(picture).text)
        }
    }

    /// Graphics drawn between saving and restoring the cursor (DECSC, DECRC), then the cursor moved below: terminals disagree
    /// about its position after a graphic.
    private func placed(_ picture: String) -> String { "\u{1B}7" + picture + "\u{1B}8\u{1B}[\(rows)B" }

    // MARK: Half blocks

    /// Half blocks: U+2580 has its own colour above and the background's below, so a character shows two
    /// pixels.
    private func blocks(_ picture: Thumbnail) -> String {
        var text = ""
        for row in stride(from: 0, to: picture.height, by: 2) {
            // The last row of an odd height is doubled.
            let lower = min(row + 1, picture.height - 1)
            for column in 0..<picture.width {
                text += "\u{1B}[\(code(38, picture, column, row));\(code(48, picture, column, lower))m\u{2580}"
            }
            // Reset before the line feed: a terminal would fill the rest of the line with the background
            // colour.
            text += "\u{1B}[0m\u{1B}[K\n"
        }
        return text
    }

    /// SGR parameters of a pixel's colour: 38 for the foreground, 48 for the background (ISO 8613-6).
    private func code(_ ground: Int, _ picture: Thumbnail, _ column: Int, _ row: Int) -> String {
        // xterm's colour cube of 6 x 6 x 6 begins at index 16.
        guard style != .fewColours else { return "\(ground);5;\(16 + picture.cubeIndex(column, row))" }
        let colour = picture.colour(column, row)
        return "\(ground);2;\(colour.red);\(colour.green);\(colour.blue)"
    }

    // MARK: Kitty

    /// Kitty's graphics protocol: 24-bit pixels in base64, in pieces of 4096 characters as the protocol
    /// requires. Image and placement have fixed ids, so that each frame replaces the last; `q=2` suppresses
    /// answers, which would look like typed keys.
    private func kitty(_ picture: Thumbnail) -> String {
        let data = Array(Data(picture.pixels).base64EncodedString().utf8)
        var text = ""
        for start in stride(from: 0, to: data.count, by: 4096) {
            let piece = data[start..<min(start + 4096, data.count)]
            let head =
                start == 0
                ? "a=T,f=24,s=\(picture.width),v=\(picture.height),c=\(columns),r=\(rows),i=31,p=1,C=1,q=2," : ""
            // 1 announces another piece.
            let more = piece.endIndex < data.count ? 1 : 0
            text += "\u{1B}_G\(head)m=\(more);\(String(decoding: piece, as: UTF8.self))\u{1B}\\"
        }
        return text
    }
}

/// Encoder of a frame as sixels (DEC STD 070, "Sixel graphics"): bands of six rows, one pass over each for
/// every colour in it, from a palette of 6 x 6 x 6 colours.
///
/// By hand: libsixel would be one more dependency for half a page.
struct SixelEncoder {
    /// Control string from DCS to ST.
    let text: String

    /// Encodes a frame.
    init(_ picture: Thumbnail) {
        // Raster attributes: square pixels and the size, so that a terminal can reserve it.
        var text = "\u{1B}Pq\"1;1;\(picture.width);\(picture.height)"
        var known = Set<Int>()
        for top in stride(from: 0, to: picture.height, by: 6) {
            let band = Self.band(picture, top)
            for colour in band.keys.sorted() {
                // Colours are defined as they first occur: defining all 216 would cost more than most frames
                // do.
                if known.insert(colour).inserted { text += Self.definition(of: colour) }
                // `$` returns to the band's left edge for the next colour; `-` begins the next band.
                text += "#\(colour)" + Self.packed(band[colour] ?? []) + "$"
            }
            text += "-"
        }
        self.text = text + "\u{1B}\\"
    }

    /// Six bits per column, for each colour of a band.
    private static func band(_ picture: Thumbnail, _ top: Int) -> [Int: [UInt8]] {
        var band: [Int: [UInt8]] = [:]
        for row in top..<min(top + 6, picture.height) {
            for column in 0..<picture.width {
                band[picture.cubeIndex(column, row), default: [UInt8](repeating: 0, count: picture.width)][column] |=
                    1 << UInt8(row - top)
            }
        }
        return band
    }

    /// Definition of a colour, red, green and blue in per cent.
    private static func definition(of index: Int) -> String {
        "#\(index);2;\(index / 36 * 20);\(index / 6 % 6 * 20);\(index % 6 * 20)"
    }

    /// Columns as characters from `?` (no bit) on, with runs of more than three as `!COUNT CHARACTER`, which
    /// shorter runs would only lengthen.
    private static func packed(_ bits: [UInt8]) -> String {
        var text = ""
        var start = 0
        while start < bits.count {
            let end = bits[start...].firstIndex { $0 != bits[start] } ?? bits.count
            let character = String(UnicodeScalar(63 + bits[start]))
            text += end - start > 3 ? "!\(end - start)\(character)" : String(repeating: character, count: end - start)
            start = end
        }
        return text
    }
}

extension Thumbnail {
    /// Red, green and blue, 8 bits each.
    typealias Colour = (red: UInt8, green: UInt8, blue: UInt8)

    /// Colour of a pixel.
    func colour(_ column: Int, _ row: Int) -> Colour {
        let offset = 3 * (row * width + column)
        return (pixels[offset], pixels[offset + 1], pixels[offset + 2])
    }

    /// Nearest of 6 x 6 x 6 colours, 0…215. The cube's steps are taken as equal: xterm's first one is larger,
    /// which a preview does not show.
    func cubeIndex(_ column: Int, _ row: Int) -> Int {
        func sixth(_ value: UInt8) -> Int { (Int(value) * 5 + 127) / 255 }
        let colour = colour(column, row)
        return 36 * sixth(colour.red) + 6 * sixth(colour.green) + sixth(colour.blue)
    }
}
