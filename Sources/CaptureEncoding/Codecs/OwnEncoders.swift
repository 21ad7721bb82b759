/// Encoders of a program's own, for the tracks that it wants to encode itself.
///
/// They have their say in Matroska, MP4 and WebM, as far as these know the codec's name, and in an ``OwnContainer``; the other
/// formats are one codec each. Each output of a recording, and each of its segments, has an encoder made for itself.
///
///     settings.own = OwnEncoders { track in track.audio.map { MuLawEncoder($0) } }
///
/// *thread-safe*
public struct OwnEncoders: Hashable, Sendable {
    private let maker: Maker

    /// A reference, which distinguishes two of them.
    private final class Maker: Sendable {
        let make: @Sendable (ClipTrack) -> (any TrackEncoder)?

        init(_ make: @escaping @Sendable (ClipTrack) -> (any TrackEncoder)?) { self.make = make }
    }

    /// - Parameter make: makes the encoder of a track, not yet begun; `nil` leaves the track to the codec of the settings.
    public init(_ make: @escaping @Sendable (ClipTrack) -> (any TrackEncoder)?) { maker = Maker(make) }

    func encoder(for track: ClipTrack) -> (any TrackEncoder)? { maker.make(track) }

    /// True for copies of one value: closures can't be compared.
    public static func == (first: OwnEncoders, second: OwnEncoders) -> Bool { first.maker === second.maker }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(maker)) }
}
