/// What a track holds.
///
/// *thread-safe*
public enum MediaKind: String, Hashable, Sendable, Codable, CaseIterable {
    case audio, video
}
