/// Frames a second as a fraction, such as 30000/1001.
///
/// *thread-safe*
public struct FrameRate: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Frames in `denominator` seconds, 1 upwards.
    public let numerator: Int
    public let denominator: Int

    /// - Returns: `nil` unless both are 1 or more.
    public init?(_ numerator: Int, _ denominator: Int = 1) {
        guard numerator > 0, denominator > 0 else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }

    package init(unchecked numerator: Int, _ denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    public var framesPerSecond: Double { Double(numerator) / Double(denominator) }

    /// How long one frame lasts, in nanoseconds.
    public var frameNanoseconds: Int64 { Int64(denominator) * 1_000_000_000 / Int64(numerator) }

    public var description: String {
        numerator % denominator == 0 ? "\(numerator / denominator)" : "\(numerator)/\(denominator)"
    }
}
