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

/// FlagInterlaced and FieldOrder (RFC 9559, 5.1.4.1.28.1 and 5.1.4.1.28.2).
enum MatroskaFieldOrder {
    static func append(_ order: FieldOrder, to video: inout EBML) {
        video.unsigned(.flagInterlaced, order == .progressive ? 2 : 1)
        // 1 and 6 say the same field first in time and in store: readers agree on them, and on 9 and 14 they don't.
        if order != .progressive { video.unsigned(.fieldOrder, order == .topFirst ? 1 : 6) }
    }

    static func read(_ field: (MatroskaID) -> UInt64) -> FieldOrder {
        guard field(.flagInterlaced) == 1 else { return .progressive }
        return field(.fieldOrder) == 6 ? .bottomFirst : .topFirst
    }
}

/// DisplayWidth and DisplayHeight (RFC 9559, 5.1.4.1.28.12 and 13) where pixels are not square.
enum MatroskaAspect {
    /// DisplayUnit: both are the shape of the picture, not a size, so that nothing must be rounded.
    private static let ratio: UInt64 = 3

    static func append(_ format: VideoFormat, to video: inout EBML) {
        guard let aspect = format.pixelAspect, !aspect.isSquare else { return }
        guard let shape = PixelAspect(format.width * aspect.width, format.height * aspect.height) else { return }
        video.unsigned(.displayWidth, UInt64(shape.width))
        video.unsigned(.displayHeight, UInt64(shape.height))
        video.unsigned(.displayUnit, ratio)
    }

    /// - Parameter size: of the picture, pixels.
    static func read(_ size: (UInt64, UInt64), _ field: (MatroskaID) -> UInt64) -> PixelAspect? {
        let shape = (field(.displayWidth), field(.displayHeight))
        guard field(.displayUnit) == ratio, shape.0 < 1 << 31, shape.1 < 1 << 31 else { return nil }
        return PixelAspect(Int(shape.0 * size.1), Int(shape.1 * size.0))
    }
}

/// The Colour element (RFC 9559, 5.1.4.1.28.16), whose numbers are those of ITU-T H.273.
enum MatroskaColour {
    static func append(_ colorimetry: Colorimetry, to video: inout EBML) {
        video.master(.colour) { colour in
            colour.unsigned(.matrixCoefficients, matrices[colorimetry.matrix] ?? unspecified)
            colour.unsigned(.range, colorimetry.range == .full ? full : limited)
            colour.unsigned(.transferCharacteristics, transfers[colorimetry.transfer] ?? unspecified)
            colour.unsigned(.primaries, primaries[colorimetry.primaries] ?? unspecified)
        }
    }

    /// - Parameter field: the elements of a Video element and of its Colour.
    /// - Returns: `nil` where none of it is said.
    static func read(_ field: (MatroskaID) -> UInt64) -> Colorimetry? {
        let matrix = matrices.first { $0.value == field(.matrixCoefficients) }?.key
        let range = field(.range)
        guard let matrix, range == limited || range == full else { return nil }
        return Colorimetry(
            primaries: primaries.first { $0.value == field(.primaries) }?.key ?? .unspecified,
            transfer: transfers.first { $0.value == field(.transferCharacteristics) }?.key ?? .unspecified,
            matrix: matrix, range: range == full ? .full : .limited)
    }

    private static let unspecified: UInt64 = 2
    private static let limited: UInt64 = 1
    private static let full: UInt64 = 2

    private static let matrices: [Colorimetry.Matrix: UInt64] = [
        .rgb: 0, .bt709: 1, .bt601: 6, .smpte240M: 7, .bt2020: 9, .bt2020Constant: 10,
    ]
    private static let transfers: [Colorimetry.Transfer: UInt64] = [
        .bt709: 1, .smpte240M: 7, .linear: 8, .srgb: 13, .pq: 16, .dciP3: 17,
    ]
    private static let primaries: [Colorimetry.Primaries: UInt64] = [
        .bt709: 1, .bt470M: 4, .bt470BG: 5, .smpte170M: 6, .smpte240M: 7, .bt2020: 9, .dciP3: 11,
    ]
}
