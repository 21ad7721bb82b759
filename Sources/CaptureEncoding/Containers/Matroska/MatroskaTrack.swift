import CaptureGate

/// One track of a Matroska file and its encoder.
///
/// *session-bound*
final class MatroskaTrack {
    /// 1 upwards; also its UID.
    let number: Int
    let track: ClipTrack
    let encoder: any Encoder
    /// The encoder, where it may leave pictures as they are.
    let passing: (any PassthroughEncoder)?
    private(set) var lastTick: Int64 = -1
    /// Of what is in the file and the cluster that is not written yet: how long its packets last, and where the last one
    /// ends, nanoseconds.
    private var gathered: (duration: Int64, end: Int64) = (0, 0)
    /// Of what is in the file.
    private var kept: (duration: Int64, end: Int64) = (0, 0)

    init(number: Int, track: ClipTrack, encoder: any Encoder) {
        self.number = number
        self.track = track
        self.encoder = encoder
        passing = encoder as? any PassthroughEncoder
    }

    /// The most bytes that wait in its encoder for more to come.
    var maxBufferedBytes: Int { encoder is PCMEncoder ? 0 : track.audio?.maxBufferedBytes ?? 0 }

    /// - Parameter end: of a packet that is in the cluster, nanoseconds.
    func note(until end: Int64, lasting duration: Int64) {
        gathered.duration += duration
        gathered.end = end
    }

    /// The cluster is in the file.
    func keep() { kept = gathered }

    /// In the file, without what a decoder leaves out at the start.
    var keptFrames: KeptFrames {
        KeptFrames(of: track, lasting: kept.duration - encoder.description.delay, until: kept.end)
    }

    /// The tick of a packet: each later than the one before.
    func nextTick(_ nanoseconds: Int64) -> Int64 {
        lastTick = max(MatroskaTime.ticks(nanoseconds), lastTick + 1)
        return lastTick
    }

    /// TrackEntry (RFC 9559, 5.1.4.1).
    var entry: [UInt8] {
        let codec = encoder.description
        var entry = EBML()
        entry.master(.trackEntry) { entry in
            entry.unsigned(.trackNumber, UInt64(number))
            entry.unsigned(.trackUID, UInt64(number))
            entry.unsigned(.trackType, track.kind == .video ? 1 : 2)
            entry.unsigned(.flagLacing, 0)
            entry.string(.name, track.name)
            entry.string(.language, "und")
            entry.string(.codecID, codec.matroskaID)
            if codec.delay > 0 { entry.unsigned(.codecDelay, UInt64(codec.delay)) }
            if codec.preRoll > 0 { entry.unsigned(.seekPreRoll, UInt64(codec.preRoll)) }
            if let format = track.video { Self.append(format, codec, to: &entry) }
            if let format = track.audio { Self.append(format, codec, to: &entry) }
            if !codec.privateBytes.isEmpty { entry.element(.codecPrivate, codec.privateBytes) }
        }
        return entry.bytes
    }

    private static func append(_ format: VideoFormat, _ codec: CodecDescription, to entry: inout EBML) {
        entry.unsigned(.defaultDuration, UInt64(format.frameRate.frameNanoseconds))
        entry.master(.video) { video in
            MatroskaFieldOrder.append(format.fieldOrder, to: &video)
            video.unsigned(.pixelWidth, UInt64(format.width))
            video.unsigned(.pixelHeight, UInt64(format.height))
            MatroskaAspect.append(format, to: &video)
            if !codec.uncompressedFourCC.isEmpty { video.element(.uncompressedFourCC, codec.uncompressedFourCC) }
            if let colorimetry = codec.colorimetry { MatroskaColour.append(colorimetry, to: &video) }
        }
    }

    private static func append(_ format: AudioFormat, _ codec: CodecDescription, to entry: inout EBML) {
        entry.master(.audio) { audio in
            audio.float(.samplingFrequency, Double(codec.decodedRate ?? format.sampleRate))
            audio.unsigned(.channels, UInt64(format.channels))
            if codec.bitDepth > 0 { audio.unsigned(.bitDepth, UInt64(codec.bitDepth)) }
        }
    }
}
