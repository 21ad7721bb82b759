import CaptureEncoding
import Glibc

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
