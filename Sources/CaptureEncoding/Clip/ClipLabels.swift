/// What is written into a clip about it, where its format has a place for that.
///
/// *thread-safe*
public struct ClipLabels: Hashable, Sendable {
    public var title: String?
    /// More labels: name (upper case, such as `GRANT`) and text.
    public var extra: [String: String]

    public init(title: String? = nil, extra: [String: String] = [:]) {
        self.title = title
        self.extra = extra
    }
}
