import CaptureEncoding
import FoundationEssentials

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
