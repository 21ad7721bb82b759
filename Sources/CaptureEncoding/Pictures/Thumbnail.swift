import CaptureGate

/// A camera's picture made small, for a screen: red, green and blue, a byte each, row by row.
public struct Thumbnail: Hashable, Sendable {
    /// Pixels.
    public let width: Int
    /// Pixels.
    public let height: Int
    /// 3 · ``width`` · ``height`` bytes.
    public let pixels: [UInt8]

    public init(width: Int, height: Int, pixels: [UInt8]) {
        self.width = width
        self.height = height
        self.pixels = pixels
    }
}
