import CaptureEncoding
import FoundationEssentials

/// The camera's picture above a recording's live line.
struct PreviewView: EventView {
    let stream: StandardStream
    let screen: PreviewScreen
    private var line: LiveView
    private var isStarted = false
    /// What came before it was told that the recording has started.
    private var early: Thumbnail?
    /// 0 where the picture is not the last that stands above the live line.
    private var drawnRows = 0

    init(_ screen: PreviewScreen, above line: LiveView) {
        self.screen = screen
        self.line = line
        stream = line.stream
    }

    mutating func show(_ event: RecordingEvent) {
        switch event {
        case .preview(let picture): if isStarted { draw(picture) } else { early = picture }
        case .progress: line.show(event)
        default:
            line.show(event)
            drawnRows = 0
            if case .started = event { start() }
        }
    }

    private mutating func start() {
        isStarted = true
        if let early { draw(early) }
        early = nil
    }

    private mutating func draw(_ picture: Thumbnail) {
        let drawing = screen.drawing(of: picture)
        // All at once, where the terminal can do that (private mode 2026); others take no notice.
        var text = "\u{1B}[?2026h\r"
        // Room for it in place of the live line, or back to its first line, and the live line stays.
        if drawnRows == 0 { text += "\u{1B}[K" + String(repeating: "\n", count: drawing.rows) }
        text += "\u{1B}[\(drawnRows == 0 ? drawing.rows : drawnRows)A"
        text += drawing.text(of: picture) + "\u{1B}[?2026l"
        drawnRows = drawing.rows
        try? stream.write(text)
    }
}

/// A small picture as what a terminal is sent for it. The cursor begins at the left of the first of ``rows`` lines, and ends
/// below the last.
struct PreviewDrawing {
    let style: PreviewStyle
    /// Characters and lines that the picture covers.
    let columns: Int
    let rows: Int

    func text(of picture: Thumbnail) -> String {
        switch style {
        case .blocks, .fewColours: blocks(picture)
        case .kitty: placed(kitty(picture))
        case .sixel: placed(SixelEncoder(picture).text)
        }
    }

    /// Room for the picture, and the picture over it.
    private func placed(_ picture: String) -> String { "\u{1B}7" + picture + "\u{1B}8\u{1B}[\(rows)B" }

    // MARK: Half blocks

    /// An upper half block has its own colour above, and the background's below.
    private func blocks(_ picture: Thumbnail) -> String {
        var text = ""
        for row in stride(from: 0, to: picture.height, by: 2) {
            let lower = min(row + 1, picture.height - 1)
            for column in 0..<picture.width {
                text += "\u{1B}[\(code(38, picture, column, row));\(code(48, picture, column, lower))m\u{2580}"
            }
            text += "\u{1B}[0m\u{1B}[K\n"
        }
        return text
    }

    private func code(_ ground: Int, _ picture: Thumbnail, _ column: Int, _ row: Int) -> String {
        // The cube of 6 x 6 x 6 colours begins at 16.
        guard style != .fewColours else { return "\(ground);5;\(16 + picture.cubeIndex(column, row))" }
        let colour = picture.colour(column, row)
        return "\(ground);2;\(colour.red);\(colour.green);\(colour.blue)"
    }

    // MARK: Kitty

    /// 24-bit pixels in base64, in pieces of 4096 characters; the picture of the same number is replaced, and nothing is
    /// answered.
    private func kitty(_ picture: Thumbnail) -> String {
        let data = Array(Data(picture.pixels).base64EncodedString().utf8)
        var text = ""
        for start in stride(from: 0, to: data.count, by: 4096) {
            let piece = data[start..<min(start + 4096, data.count)]
            let head =
                start == 0
                ? "a=T,f=24,s=\(picture.width),v=\(picture.height),c=\(columns),r=\(rows),i=31,p=1,C=1,q=2," : ""
            let more = piece.endIndex < data.count ? 1 : 0
            text += "\u{1B}_G\(head)m=\(more);\(String(decoding: piece, as: UTF8.self))\u{1B}\\"
        }
        return text
    }
}

/// A picture as sixels (DEC STD 070, "Sixel graphics"): bands of six rows, a pass over each for every colour in it, of a
/// palette of 6 x 6 x 6 colours.
struct SixelEncoder {
    let text: String

    init(_ picture: Thumbnail) {
        var text = "\u{1B}Pq\"1;1;\(picture.width);\(picture.height)"
        var known = Set<Int>()
        for top in stride(from: 0, to: picture.height, by: 6) {
            let band = Self.band(picture, top)
            for colour in band.keys.sorted() {
                if known.insert(colour).inserted { text += Self.definition(of: colour) }
                text += "#\(colour)" + Self.packed(band[colour] ?? []) + "$"
            }
            text += "-"
        }
        self.text = text + "\u{1B}\\"
    }

    /// For each colour of a band, the six bits of each column.
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

    /// Red, green and blue in hundredths.
    private static func definition(of index: Int) -> String {
        "#\(index);2;\(index / 36 * 20);\(index / 6 % 6 * 20);\(index % 6 * 20)"
    }

    /// Runs of more than three as `!COUNT CHARACTER`.
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
    typealias Colour = (red: UInt8, green: UInt8, blue: UInt8)

    func colour(_ column: Int, _ row: Int) -> Colour {
        let offset = 3 * (row * width + column)
        return (pixels[offset], pixels[offset + 1], pixels[offset + 2])
    }

    /// The nearest of 6 x 6 x 6 colours, 0…215.
    func cubeIndex(_ column: Int, _ row: Int) -> Int {
        func sixth(_ value: UInt8) -> Int { (Int(value) * 5 + 127) / 255 }
        let colour = colour(column, row)
        return 36 * sixth(colour.red) + 6 * sixth(colour.green) + sixth(colour.blue)
    }
}
