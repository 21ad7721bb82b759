/// What is written into a clip about it, where its format has a place for that.
///
/// *thread-safe*
public struct ClipLabels: Hashable, Sendable {
    public var title: String?
    /// More labels: name in upper case, and text. A recorder adds `GRANT`, the decisions that it rests on.
    public var extra: [String: String]

    public init(title: String? = nil, extra: [String: String] = [:]) {
        self.title = title
        self.extra = extra
    }

    /// With the numbers of the decisions that the recording rests on, as the audit log has them: `GRANT=3, 4`.
    func allowed(by decisions: [Int64]) -> ClipLabels {
        guard !decisions.isEmpty, extra["GRANT"] == nil else { return self }
        var labels = self
        labels.extra["GRANT"] = Set(decisions).sorted().map(String.init).joined(separator: ", ")
        return labels
    }

    /// As Vorbis comments, `NAME=text`, with the device they are about.
    func comments(of track: ClipTrack) -> [String] {
        let title = title.map { ["TITLE=\($0)"] } ?? []
        return title + ["DEVICE=\(track.name)"] + extra.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }
}
