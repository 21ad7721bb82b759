/// Whether the rows of a picture are of one moment.
///
/// *thread-safe*
public enum FieldOrder: String, Hashable, Sendable, Codable, CaseIterable {
    case progressive
    /// Every second row, from the first on, was taken first.
    case topFirst = "top"
    /// Every second row, from the second on, was taken first.
    case bottomFirst = "bottom"
}
