/// What a control is set to, or is to be set to.
///
/// *thread-safe*
public enum ControlValue: Hashable, Sendable {
    /// A number; 0 and 1 of a switch; the number of a menu's item.
    case integer(Int64)
    case text(String)
    /// A volume, of a control that has a scale in decibels: the nearest step is taken.
    case decibels(Double)
}
