/// Size and rate of a digital signal (HDMI, SDI), such as `1920x1080p60` or `1920x1080i50`.
///
/// *thread-safe*
public struct VideoTimings: Hashable, Sendable, CustomStringConvertible {
    package let shape: SignalTimings

    package init(_ shape: SignalTimings) { self.shape = shape }

    /// - Parameter text: width, `x`, height, `p` or `i`, and pictures a second; where interlaced, fields. 60 stands for 59.94
    ///   as well.
    /// - Returns: `nil` for anything else.
    public init?(_ text: String) {
        let text = text.lowercased()
        guard let mark = text.lastIndex(where: { $0 == "p" || $0 == "i" }) else { return nil }
        let sides = text[..<mark].split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]),
            let rate = Double(text[text.index(after: mark)...]), (1...65_535).contains(width),
            (1...65_535).contains(height), (1...1000).contains(rate)
        else { return nil }
        let isInterlaced = text[mark] == "i"
        // Nobody sends 48 frames of two fields, and nobody calls 24 fields a rate.
        let frames = isInterlaced && rate > 40 ? rate / 2 : rate
        shape = SignalTimings(
            width: width, height: height, isInterlaced: isInterlaced, millihertz: Int((frames * 1000).rounded()))
    }

    /// Pixels.
    public var width: Int { shape.width }
    /// Pixels, of both fields together.
    public var height: Int { shape.height }
    public var isInterlaced: Bool { shape.isInterlaced }
    /// Pictures a second; where interlaced, fields.
    public var rate: Double { Double(shape.millihertz) / 1000 * (isInterlaced ? 2 : 1) }

    public var description: String {
        let hundredths = Int((rate * 100).rounded())
        let part = hundredths % 100 == 0 ? "" : ".\(String(hundredths % 100 + 100).dropFirst())"
        return "\(width)x\(height)\(isInterlaced ? "i" : "p")\(hundredths / 100)\(part)"
    }
}
