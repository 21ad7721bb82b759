/// A volume's scale.
///
/// *thread-safe*
public struct ControlDecibels: Hashable, Sendable {
    /// dB; the lowest is that of the lowest step that is not silence.
    public let range: ClosedRange<Double>
    /// dB; `nil` is silence.
    public let value: Double?

    public init(range: ClosedRange<Double>, value: Double?) {
        self.range = range
        self.value = value
    }
}
