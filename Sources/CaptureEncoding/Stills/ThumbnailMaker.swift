import CaptureBase

/// Scaler of a camera's frames to thumbnails, from every pixel format that stills are made of.
///
/// *session-bound*
public final class ThumbnailMaker {
    /// Width of a thumbnail in pixels.
    public let width: Int
    /// Height of a thumbnail in pixels.
    public let height: Int

    /// Decodes frames to 8 bits per sample, as QOI wants them; its files are not made.
    private let reader: StillEncoder
    /// First source column of each thumbnail column, and one more for the end; likewise for rows.
    private let columns: [Int]
    private let rows: [Int]
    /// Grid of source pixels that a thumbnail's pixel averages, per direction: more make no visible
    /// difference.
    private static let samples = 4

    /// - Parameters:
    ///   - format: of the frames.
    ///   - width: pixels, at most those of the frames.
    ///   - height: pixels, at most those of the frames.
    /// - Throws: `.usage` for a format that no image can be made of; see ``StillFormat/takes(_:)``.
    public init(_ format: VideoFormat, width: Int, height: Int) throws(CaptureError) {
        reader = try StillEncoder(format, as: .qoi)
        self.width = min(max(width, 1), format.width)
        self.height = min(max(height, 1), format.height)
        columns = Self.borders(self.width, of: format.width)
        rows = Self.borders(self.height, of: format.height)
    }

    /// Divides a length into `count` ranges that differ by one pixel at most.
    private static func borders(_ count: Int, of length: Int) -> [Int] { (0...count).map { $0 * length / count } }

    /// Makes a thumbnail; each pixel is the mean of the source pixels it covers.
    /// - Parameter frame: one driver buffer.
    /// - Returns: `nil` for a frame that is short or broken.
    public func make(of frame: RawSpan) -> Thumbnail? {
        guard let source = try? reader.pixels(of: frame) else { return nil }
        var pixels = [UInt8](repeating: 0, count: 3 * width * height)
        var place = 0
        for row in 0..<height {
            for column in 0..<width {
                mean(of: source, columns[column]..<columns[column + 1], rows[row]..<rows[row + 1], into: &pixels, place)
                place += 3
            }
        }
        return Thumbnail(width: width, height: height, pixels: pixels)
    }

    /// Averages a block of the source, or a grid of its pixels if it is large.
    private func mean(
        of source: StillPixels, _ across: Range<Int>, _ down: Range<Int>, into pixels: inout [UInt8], _ place: Int
    ) {
        let channels = source.kind.channels
        let (stepX, stepY) = (max(1, across.count / Self.samples), max(1, down.count / Self.samples))
        var (red, green, blue, count) = (0, 0, 0, 0)
        for y in stride(from: down.lowerBound, to: down.upperBound, by: stepY) {
            for x in stride(from: across.lowerBound, to: across.upperBound, by: stepX) {
                let pixel = source.start + y * source.rowBytes + x * channels
                red += Int(pixel[0])
                green += Int(pixel[channels == 1 ? 0 : 1])
                blue += Int(pixel[channels == 1 ? 0 : 2])
                count += 1
            }
        }
        pixels[place] = UInt8(truncatingIfNeeded: red / count)
        pixels[place + 1] = UInt8(truncatingIfNeeded: green / count)
        pixels[place + 2] = UInt8(truncatingIfNeeded: blue / count)
    }
}

/// Camera frame scaled down for a screen: R, G and B of a byte each, row by row.
///
/// *thread-safe*
public struct Thumbnail: Hashable, Sendable {
    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    /// 3 · ``width`` · ``height`` bytes.
    public let pixels: [UInt8]

    /// - Parameters:
    ///   - width: pixels.
    ///   - height: pixels.
    ///   - pixels: 3 · `width` · `height` bytes.
    public init(width: Int, height: Int, pixels: [UInt8]) {
        self.width = width
        self.height = height
        self.pixels = pixels
    }
}
