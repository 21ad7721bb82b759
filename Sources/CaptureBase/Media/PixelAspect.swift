/// The shape of a pixel on the screen: 59:54, PAL's, is wider than high.
///
/// *thread-safe*
public struct PixelAspect: Hashable, Sendable, Codable, CustomStringConvertible {
    /// In lowest terms, 1 upwards.
    public let width: Int
    public let height: Int

    /// - Returns: `nil` unless both are 1 or more.
    public init?(_ width: Int, _ height: Int) {
        guard width > 0, height > 0 else { return nil }
        var (a, b) = (width, height)
        while b != 0 { (a, b) = (b, a % b) }
        self.width = width / a
        self.height = height / a
    }

    public var isSquare: Bool { width == height }

    public var description: String { "\(width):\(height)" }
}
