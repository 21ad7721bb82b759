import CaptureEncoding

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
