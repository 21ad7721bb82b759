import CaptureBase

/// H.264 encoder (ITU-T H.264) on OpenH264: High profile, one access unit for each frame, no frame
/// predicted from a later one.
///
/// Takes raw frames and JPEG of even width and height, up to 3840x2160. Packets are NAL units behind
/// their lengths of four bytes, as `avcC` announces (ISO/IEC 14496-15, 5.3); the parameter sets are
/// in ``CodecDescription/privateBytes`` alone. Matrix and range of the source are stated, not changed.
///
/// The corresponding C function is `EncodeFrame` of `ISVCEncoder`.
///
/// *session-bound*
public final class H264Encoder: Encoder {
    /// Format of the camera's frames.
    public let format: VideoFormat
    /// Bitrate or quality, key frames and complexity.
    public let parameters: PredictionParameters
    public private(set) var description: CodecDescription
    public var counts: EncoderCounts { frames.counts }

    private let frames: PredictedFrames

    /// Largest frame of level 5.2, in macroblocks of 16 x 16.
    private static let mostBlocks = 36_864
    /// Frames per second that OpenH264's rate control knows.
    private static let rates = 1.0...60.0

    /// Keeps the parameters; `begin` checks them.
    /// - Parameters:
    ///   - format: of the camera's frames.
    ///   - parameters: bitrate or quality, key frames and complexity.
    public init(format: VideoFormat, parameters: PredictionParameters = PredictionParameters()) {
        self.format = format
        self.parameters = parameters
        frames = PredictedFrames(.h264, format, parameters)
        description = CodecDescription(matroskaID: "V_MPEG4/ISO/AVC", colorimetry: frames.colorimetry)
    }

    /// Loads and sets up OpenH264.
    /// - Throws: `.usage` for a format that H.264 can't hold or parameters out of range;
    ///   `.unavailable` if the library is missing.
    public func begin() throws(CaptureError) {
        try frames.check()
        let blocks = (format.width + 15) / 16 * ((format.height + 15) / 16)
        guard format.width.isMultiple(of: 2), format.height.isMultiple(of: 2), min(format.width, format.height) >= 16,
            blocks <= Self.mostBlocks
        else { throw frames.cannotEncode }
        try frames.open(worst: 51, best: 10, speed: speed, rates: Self.rates)
        guard let record = AVCConfiguration(parameterSets: try frames.head()) else {
            throw frames.failure("describe", 0)
        }
        description.privateBytes = record.bytes
    }

    /// Complexity modes of OpenH264: 2 is the fastest.
    private var speed: Int { parameters.complexity < 4 ? 2 : parameters.complexity < 7 ? 1 : 0 }

    public func encode(
        _ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        try frames.encode(data, at: nanoseconds, into: &packets)
    }

    /// Every frame is complete when it is encoded.
    public func finish(into packets: inout PacketBuffer) {}
}

/// AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1): the `avcC` of MP4, and Matroska's
/// CodecPrivate.
struct AVCConfiguration {
    private(set) var bytes: [UInt8] = []

    /// Types of NAL units.
    private static let sequenceSet: UInt8 = 7
    private static let pictureSet: UInt8 = 8

    /// - Parameter parameterSets: NAL units, each behind its length in four bytes.
    /// - Returns: `nil` without a sequence parameter set and a picture parameter set.
    init?(parameterSets: [UInt8]) {
        let units = Self.units(of: parameterSets)
        let sequences = units.filter { ($0.first ?? 0) & 31 == Self.sequenceSet && $0.count >= 4 }
        let pictures = units.filter { ($0.first ?? 0) & 31 == Self.pictureSet }
        guard let first = sequences.first.map(Array.init), !pictures.isEmpty, sequences.count < 32 else { return nil }
        // Version 1, profile, its constraints and the level; lengths of four bytes; reserved bits are ones.
        bytes = [1, first[1], first[2], first[3], 0xFC | 3, 0xE0 | UInt8(sequences.count)]
        for unit in sequences { append(unit) }
        bytes.append(UInt8(clamping: pictures.count))
        for unit in pictures { append(unit) }
        // High and above: 4:2:0 of 8 bits, and no extensions of the sequence parameter set.
        if first[1] >= 100 { bytes += [0xFC | 1, 0xF8, 0xF8, 0] }
    }

    /// Parameter set behind its length in two bytes.
    private mutating func append(_ unit: ArraySlice<UInt8>) {
        bytes += [UInt8(truncatingIfNeeded: unit.count >> 8), UInt8(truncatingIfNeeded: unit.count)] + unit
    }

    /// Splits NAL units at their lengths of four bytes; ends at the first that is cut off.
    static func units(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var units: [ArraySlice<UInt8>] = []
        var at = 0
        while at + 4 <= bytes.count {
            let length = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length > 0, at + 4 + length <= bytes.count else { break }
            units.append(bytes[at + 4..<at + 4 + length])
            at += 4 + length
        }
        return units
    }
}
