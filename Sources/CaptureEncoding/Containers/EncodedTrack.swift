import CaptureBase

/// Track of a file with several, and its encoder.
///
/// *session-bound*
class EncodedTrack {
    /// 1 upwards, in the order of the file.
    let number: Int
    let track: ClipTrack
    let encoder: any TrackEncoder
    /// The encoder, if it may leave frames in the device's buffer. Kept, because a cast for every
    /// frame is slow.
    let passing: (any PassthroughEncoder)?
    /// Duration of the packets in the file and of those not yet written, and end of the last one,
    /// in nanoseconds.
    private var gathered: (duration: Int64, end: Int64) = (0, 0)
    /// The same of the file alone, and at the end of each of its pieces.
    private var kept: (duration: Int64, end: Int64) = (0, 0)
    private var marks = WrittenMarks<(duration: Int64, end: Int64)>()

    init(number: Int, track: ClipTrack, encoder: any TrackEncoder) {
        self.number = number
        self.track = track
        self.encoder = encoder
        passing = encoder as? any PassthroughEncoder
    }

    /// Upper bound of the bytes that the encoder holds back; PCM and video hold none.
    var maxBufferedBytes: Int { encoder is PCMEncoder ? 0 : track.audio?.maxBufferedBytes ?? 0 }

    /// Notes a packet that waits to be written.
    /// - Parameters:
    ///   - end: of the packet, nanoseconds from the clip's start.
    ///   - duration: of the packet, nanoseconds.
    final func note(until end: Int64, lasting duration: Int64) {
        gathered.duration += duration
        gathered.end = end
    }

    /// Notes that all packets are in the file, or wait to be written.
    /// - Parameters:
    ///   - bytes: of the file with them.
    ///   - stored: bytes that are written.
    final func keep(_ bytes: Int64, stored: Int64) {
        kept = gathered
        marks.note(kept, at: bytes, stored: stored)
    }

    /// Returns to the totals of a file of this length.
    func cutBack(to bytes: Int64) { kept = marks.last(within: bytes)?.value ?? (0, 0) }

    /// Frames in the file, without the decoder's delay.
    var keptFrames: KeptFrames {
        KeptFrames(of: track, lasting: kept.duration - encoder.description.delay, until: kept.end)
    }
}

/// Longest time that packets wait in memory.
///
/// A recorder that is killed loses these packets and the data not yet encoded, and both together must stay below a second.
enum WriteInterval {
    /// Nanoseconds of packets that are written in one piece.
    static let longest: Int64 = 900_000_000
    /// Nanoseconds of the first piece: a file without any can't be read.
    static let first: Int64 = 250_000_000
}
