/// One line of a menu.
///
/// *thread-safe*
public struct ControlItem: Hashable, Sendable {
    /// What the control is set to for it; numbers may be missing.
    public let number: Int64
    /// The device's own words, or the number that the item stands for.
    public let name: String

    public init(number: Int64, name: String) {
        self.number = number
        self.name = name
    }
}
