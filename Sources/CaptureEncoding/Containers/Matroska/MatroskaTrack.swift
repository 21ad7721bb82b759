import CaptureBase

/// Track of a Matroska file, and its encoder.
///
/// *session-bound*
final class MatroskaTrack: EncodedTrack {
    /// Frames are predicted from one another, so that not every packet is a key frame.
    let isPredicted: Bool
    /// Timestamp of the last packet in ticks.
    private(set) var lastTick: Int64 = -1

    override init(number: Int, track: ClipTrack, encoder: any TrackEncoder) {
        isPredicted = Self.predicted.contains(encoder.description.matroskaID)
        super.init(number: number, track: track, encoder: encoder)
    }

    /// Codecs of predicted frames.
    private static let predicted: Set = ["V_MPEG4/ISO/AVC", "V_MPEGH/ISO/HEVC", "V_VP8", "V_VP9", "V_AV1"]

    /// Tick of the next packet, later than that of the one before, so that no two blocks of a track
    /// share a timestamp.
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
            // Last in the entry, so that its offset is the entry's end less its size.
            if !codec.privateBytes.isEmpty { entry.element(.codecPrivate, codec.privateBytes) }
        }
        return entry.bytes
    }

    /// Video (RFC 9559, 5.1.4.1.28).
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

    /// Audio (RFC 9559, 5.1.4.1.29).
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
        // 1 and 6 name the same field as first in time and in storage. Readers agree on these two, and disagree on 9
        // and 14.
        if order != .progressive { video.unsigned(.fieldOrder, order == .topFirst ? 1 : 6) }
    }

    /// An interlaced file without an order counts as top field first.
    static func read(_ field: (MatroskaID) -> UInt64) -> FieldOrder {
        guard field(.flagInterlaced) == 1 else { return .progressive }
        return field(.fieldOrder) == 6 ? .bottomFirst : .topFirst
    }
}

/// DisplayWidth and DisplayHeight (RFC 9559, 5.1.4.1.28.12 and 13) of frames whose pixels are not
/// square.
enum MatroskaAspect {
    /// DisplayUnit 3, an aspect ratio: a size in pixels would have to be rounded.
    private static let ratio: UInt64 = 3

    /// Writes the aspect ratio of the whole frame; square pixels need none.
    static func append(_ format: VideoFormat, to video: inout EBML) {
        guard let aspect = format.pixelAspect, !aspect.isSquare else { return }
        guard let shape = PixelAspect(format.width * aspect.width, format.height * aspect.height) else { return }
        video.unsigned(.displayWidth, UInt64(shape.width))
        video.unsigned(.displayHeight, UInt64(shape.height))
        video.unsigned(.displayUnit, ratio)
    }

    /// Reads the pixel aspect.
    /// - Parameters:
    ///   - size: of the frame in pixels.
    ///   - field: value of an element of Video; 0 if it is absent.
    static func read(_ size: (UInt64, UInt64), _ field: (MatroskaID) -> UInt64) -> PixelAspect? {
        let shape = (field(.displayWidth), field(.displayHeight))
        guard field(.displayUnit) == ratio, shape.0 < 1 << 31, shape.1 < 1 << 31 else { return nil }
        return PixelAspect(Int(shape.0 * size.1), Int(shape.1 * size.0))
    }
}

/// Colour element (RFC 9559, 5.1.4.1.28.16), whose numbers are those of ITU-T H.273.
enum MatroskaColour {
    /// Writes matrix, range, transfer function and primaries.
    static func append(_ colorimetry: Colorimetry, to video: inout EBML) {
        video.master(.colour) { colour in
            colour.unsigned(.matrixCoefficients, colorimetry.matrixCode)
            colour.unsigned(.range, colorimetry.range == .full ? full : limited)
            colour.unsigned(.transferCharacteristics, colorimetry.transferCode)
            colour.unsigned(.primaries, colorimetry.primariesCode)
        }
    }

    /// Reads them back.
    /// - Parameter field: value of an element of Video or of its Colour; 0 if it is absent.
    /// - Returns: `nil` if matrix or range is not stated.
    static func read(_ field: (MatroskaID) -> UInt64) -> Colorimetry? {
        let matrix = ColourCodes.matrices.first { $0.value == field(.matrixCoefficients) }?.key
        let range = field(.range)
        guard let matrix, range == limited || range == full else { return nil }
        return Colorimetry(
            primaries: ColourCodes.primaries.first { $0.value == field(.primaries) }?.key ?? .unspecified,
            transfer: ColourCodes.transfers.first { $0.value == field(.transferCharacteristics) }?.key ?? .unspecified,
            matrix: matrix, range: range == full ? .full : .limited)
    }

    /// Values of Matroska's Range element; H.273 has a flag instead.
    private static let limited: UInt64 = 1
    private static let full: UInt64 = 2
}
