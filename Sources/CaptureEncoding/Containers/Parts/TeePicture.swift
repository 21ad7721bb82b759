/// A picture's way to one output of several.
struct TeePicture: Sendable {
    /// Of its first place, nanoseconds from the clip's start.
    var time: Int64
    /// Places in a row that it takes.
    var count: Int
    /// Whether it only stands in the places of others.
    let isFill: Bool
}
