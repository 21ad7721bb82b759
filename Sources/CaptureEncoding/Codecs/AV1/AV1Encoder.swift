import CaptureBase

/// AV1 encoder (AV1 Bitstream & Decoding Process Specification) on SVT-AV1: one temporal unit for each
/// frame, without its delimiter.
///
/// Accepts raw frames and JPEG of 64x64 to 8192x4320. The library codes on its own threads: packets come some frames late, in the
/// order of time. Key frames come by the number of frames.
///
/// The corresponding C functions are `svt_av1_enc_send_picture` and `svt_av1_enc_get_packet`.
///
/// *session-bound*
public final class AV1Encoder: TrackEncoder {
    /// Format of the camera's frames.
    public let format: VideoFormat
    /// Bitrate or quality, key frames and complexity.
    public let parameters: PredictionParameters
    public private(set) var description: CodecDescription
    public var counts: EncoderCounts { frames.counts }

    private let frames: PredictedFrames

    /// Keeps the parameters; `begin` checks them.
    /// - Parameters:
    ///   - format: of the camera's frames.
    ///   - parameters: bitrate or quality, key frames and complexity.
    public init(format: VideoFormat, parameters: PredictionParameters = PredictionParameters()) {
        self.format = format
        self.parameters = parameters
        frames = PredictedFrames(.av1, format, parameters)
        description = CodecDescription(matroskaID: "V_AV1", colorimetry: frames.colorimetry)
    }

    /// Loads and sets up SVT-AV1.
    /// - Throws: `.usage` for a format that the library can't hold or parameters out of range;
    ///   `.unavailable` if the library is missing.
    public func begin() throws(CaptureError) {
        try frames.check()
        guard (64...8192).contains(format.width), (64...4320).contains(format.height), format.width.isMultiple(of: 2),
            format.height.isMultiple(of: 2)
        else { throw frames.cannotEncode }
        // Presets: 12 is the fastest useful one. AV1 needs about 0.7 of the bits of H.264.
        try frames.open(worst: 63, best: 10, share: 0.7, speed: 12 - parameters.complexity)
        guard let record = AV1Configuration(sequenceHeader: try frames.head()) else {
            throw frames.failure("describe", 0)
        }
        description.privateBytes = record.bytes
    }

    public func encode(
        _ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        try frames.encode(data, at: nanoseconds, into: &packets)
    }

    /// Waits for the frames that the library still holds.
    public func finish(into packets: inout PacketBuffer) throws(CaptureError) {
        try frames.finish(into: &packets)
    }
}

/// AV1CodecConfigurationRecord (AV1 Codec ISO Media File Format Binding, 2.3.3): the `av1C` of MP4, and
/// Matroska's CodecPrivate.
struct AV1Configuration {
    private(set) var bytes: [UInt8] = []

    /// Type of a sequence header OBU.
    private static let sequenceHeader: UInt8 = 1

    /// - Parameter sequenceHeader: the OBU, with its size field.
    /// - Returns: `nil` for anything else.
    init?(sequenceHeader: [UInt8]) {
        guard sequenceHeader.count > 6, sequenceHeader[0] >> 3 & 15 == Self.sequenceHeader,
            sequenceHeader[0] & 2 != 0, sequenceHeader[1] < 128
        else { return nil }
        var bits = BitReader(sequenceHeader.dropFirst(2))
        let profile = bits.take(3)
        // SVT-AV1 writes neither reduced headers (two bits of it here) nor timing and decoder models.
        guard bits.take(2) & 1 == 0, bits.take(1) == 0, bits.take(1) == 0 else { return nil }
        // operating_points_cnt_minus_1, then the first operating point.
        _ = bits.take(5)
        _ = bits.take(12)
        let level = bits.take(5)
        let tier = level > 7 ? bits.take(1) : 0
        // Marker and version 1; then 4:2:0 of 8 bits at an unknown chroma position, and no initial delay.
        bytes = [0x81, UInt8(profile << 5 | level), UInt8(tier << 7) | 0x0C, 0] + sequenceHeader
    }

    /// Reader of bits, the highest first.
    private struct BitReader {
        private let bytes: [UInt8]
        private var at = 0

        init(_ bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

        mutating func take(_ count: Int) -> Int {
            var value = 0
            for _ in 0..<count {
                let bit = at / 8 < bytes.count ? bytes[at / 8] >> (7 - UInt8(at % 8)) & 1 : 0
                value = value << 1 | Int(bit)
                at += 1
            }
            return value
        }
    }
}
