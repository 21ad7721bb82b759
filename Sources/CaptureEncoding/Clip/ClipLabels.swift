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

    /// As Vorbis comments, `NAME=text`, with the device they are about.
    func comments(of track: ClipTrack) -> [String] {
        let title = title.map { ["TITLE=\($0)"] } ?? []
        return title + ["DEVICE=\(track.name)"] + extra.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }
}
