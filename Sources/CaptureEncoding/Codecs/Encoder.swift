import CaptureGate

/// Turns the frames of one track into packets. No allocation a frame, once the buffers have grown to size.
///
/// *session-bound*
public protocol Encoder: AnyObject {
    /// What the container must know; whole after `begin`, and final after `finish` (of equal size).
    var description: CodecDescription { get }
    var counts: EncoderCounts { get }

    /// Starts the stream; once.
    /// - Throws: `.usage` or `.unavailable` if the codec can't hold the format.
    func begin() throws(CaptureError)

    /// Encodes whole frames; packets are appended as they come. A broken picture is skipped and counted.
    /// - Parameters:
    ///   - data: one buffer of the driver's, or whole frames of sound.
    ///   - nanoseconds: the presentation time of the first frame.
    ///   - packets: where what is encoded is appended.
    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError)

    /// Hands out what is still inside; once.
    func finish(into packets: inout PacketBuffer) throws(CaptureError)
}

/// An encoder whose packets may be stored from the device's own buffer, where nothing in them has to be changed.
///
/// *session-bound*
protocol PassthroughEncoder: Encoder {
    var format: VideoFormat { get }

    /// Counts a picture that is stored as it lies in its buffer.
    /// - Returns: where in the buffer it is; `nil`, and nothing is counted, where it has to be encoded.
    func pass(_ data: RawSpan) -> Range<Int>?
}

/// What an encoder did with what it got.
///
/// *thread-safe*
public struct EncoderCounts: Hashable, Sendable {
    /// Frames that went in and came out: pictures, or samples of each channel.
    public var frames: UInt64 = 0
    /// Packets that came out.
    public var packets: UInt64 = 0
    /// Bytes that came out.
    public var bytes: UInt64 = 0
    /// Pictures that were mended.
    public var repaired: UInt64 = 0
    /// Pictures that were broken or short, and left out.
    public var skipped: UInt64 = 0

    public init() {}
}

/// What a container must know of a codec.
///
/// *thread-safe*
public struct CodecDescription: Hashable, Sendable {
    /// Matroska's CodecID.
    public var matroskaID: String
    /// Matroska's CodecPrivate.
    public var privateBytes: [UInt8]
    /// Bits a sample of sound; 0 for pictures.
    public var bitDepth: Int
    /// The four characters of `V_UNCOMPRESSED`.
    public var uncompressedFourCC: [UInt8]
    /// Samples a second that a decoder gives, where that is not the track's rate.
    public var decodedRate: Int?
    /// How much a decoder gives before the first frame that went in, nanoseconds. Packets' times have it on top.
    public var delay: Int64
    /// How much a decoder must be given before the place it is to play from, nanoseconds.
    public var preRoll: Int64
    /// What the samples of pictures mean, once they are decoded.
    public var colorimetry: Colorimetry?

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
