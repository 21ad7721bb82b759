import CaptureBase

/// Encoder of one track: frames in, packets out.
///
/// The calls come in one order: `begin`, any number of `encode`, `finish`. An encoder allocates
/// nothing per frame once its buffers have grown to size, so that a recording does not stall in
/// malloc(3). One that codes each sample by itself is a call of ``PacketBuffer/append(coding:of:at:counting:_:)``.
///
/// *session-bound*
public protocol TrackEncoder: AnyObject {
    /// Parameters for the container: complete after `begin`, final after `finish`.
    ///
    /// The final CodecPrivate has the size of the first one, so that a container can overwrite it
    /// in place.
    var description: CodecDescription { get }
    /// Totals since `begin`.
    var counts: EncoderCounts { get }
    /// True once ``description`` contains everything for a file's header; false until the first frame for an encoder that learns
    /// it from that.
    var isDescribed: Bool { get }

    /// Starts the stream; called once.
    /// - Throws: `.usage` or `.unavailable` if the codec can't hold the format; the remedy names a
    ///   format that it holds.
    func begin() throws(CaptureError)

    /// Encodes whole frames and appends the packets that are complete.
    ///
    /// A broken image is skipped and counted rather than thrown: cameras send one now and then, and
    /// it must not end a recording.
    /// - Parameters:
    ///   - data: one driver buffer of video, or whole interleaved frames of audio.
    ///   - nanoseconds: presentation timestamp of the first frame.
    ///   - packets: receives the packets.
    /// - Throws: `.usage` for data that can't be of this track; `.inputOutput` if the codec library
    ///   fails.
    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError)

    /// Flushes the frames that the encoder still holds; called once.
    /// - Parameter packets: receives the packets.
    /// - Throws: `.inputOutput` if the codec library fails.
    func finish(into packets: inout PacketBuffer) throws(CaptureError)
}

extension TrackEncoder {
    /// True, for encoders that know their stream from the start.
    public var isDescribed: Bool { true }
}

/// Encoder whose packets may be stored from the device's own buffer if nothing in them has to
/// change, which saves a copy of every frame.
///
/// *session-bound*
protocol PassthroughEncoder: TrackEncoder {
    /// Format of the camera's frames.
    var format: VideoFormat { get }

    /// Counts a frame that is stored as it lies in its buffer.
    /// - Parameter data: one driver buffer.
    /// - Returns: range of the frame in the buffer; `nil`, with nothing counted, if it must be
    ///   encoded.
    func pass(_ data: RawSpan) -> Range<Int>?
}

/// Totals of one encoder.
///
/// *thread-safe*
public struct EncoderCounts: Hashable, Sendable {
    /// Encoded frames: video frames, or audio samples per channel.
    public var frames: UInt64 = 0
    /// Packets produced.
    public var packets: UInt64 = 0
    /// Bytes of those packets.
    public var bytes: UInt64 = 0
    /// Video frames that were repaired before they were stored.
    public var repaired: UInt64 = 0
    /// Video frames dropped because they were broken or short.
    public var skipped: UInt64 = 0

    /// Video frames dropped because an output had no space for them in time.
    public var late: UInt64 = 0

    /// Frames that were handed in and are in no output.
    package var leftOut: UInt64 { skipped + late }

    /// Counts nothing yet.
    public init() {}
}

/// Codec parameters that a container stores beside the packets.
///
/// The fields are those of Matroska's TrackEntry (RFC 9559, 5.1.4.1), which asks for more than any
/// other container written here; the others read the subset they need.
///
/// *thread-safe*
public struct CodecDescription: Hashable, Sendable {
    /// CodecID (RFC 9559, 5.1.4.1.21), such as `A_FLAC`.
    public var matroskaID: String
    /// CodecPrivate (RFC 9559, 5.1.4.1.22): the codec's own stream header; empty for codecs without
    /// one.
    public var privateBytes: [UInt8]
    /// Bits per audio sample; 0 for video.
    public var bitDepth: Int
    /// Four characters that name the pixel format of `V_UNCOMPRESSED`; empty for all other codecs.
    public var uncompressedFourCC: [UInt8]
    /// Sample rate of a decoder's output in Hz, if it is not the track's. Opus always decodes at 48
    /// kHz.
    public var decodedRate: Int?
    /// Decoder output that precedes the first encoded frame, in nanoseconds.
    ///
    /// Packet timestamps include it, because Matroska subtracts CodecDelay (5.1.4.1.25) from them.
    public var delay: Int64
    /// Stream that a decoder needs ahead of a seek target to converge, in nanoseconds (SeekPreRoll,
    /// 5.1.4.1.26).
    public var preRoll: Int64
    /// Colorimetry of the *decoded* samples, which need not be the camera's: JPEG always means
    /// JFIF's.
    public var colorimetry: Colorimetry?

    /// - Parameters:
    ///   - matroskaID: CodecID.
    ///   - privateBytes: CodecPrivate.
    ///   - bitDepth: bits per audio sample; 0 for video.
    ///   - uncompressedFourCC: pixel format of `V_UNCOMPRESSED`.
    ///   - decodedRate: Hz, if a decoder's rate is not the track's.
    ///   - delay: nanoseconds before the first encoded frame.
    ///   - preRoll: nanoseconds ahead of a seek target.
    ///   - colorimetry: of the decoded samples.
    public init(
        matroskaID: String, privateBytes: [UInt8] = [], bitDepth: Int = 0, uncompressedFourCC: [UInt8] = [],
        decodedRate: Int? = nil, delay: Int64 = 0, preRoll: Int64 = 0, colorimetry: Colorimetry? = nil
    ) {
        self.matroskaID = matroskaID
        self.privateBytes = privateBytes
        self.bitDepth = bitDepth
        self.uncompressedFourCC = uncompressedFourCC
        self.decodedRate = decodedRate
        self.delay = delay
        self.preRoll = preRoll
        self.colorimetry = colorimetry
    }
}
