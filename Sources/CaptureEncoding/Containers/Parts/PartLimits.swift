/// How long and how large each file of a recording in several files becomes.
struct PartLimits: Sendable {
    /// Nanoseconds.
    let duration: Int64
    let bytes: Int64?
}
