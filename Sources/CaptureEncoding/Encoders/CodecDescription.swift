import CaptureGate

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
