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

    public init(
        matroskaID: String, privateBytes: [UInt8] = [], bitDepth: Int = 0, uncompressedFourCC: [UInt8] = []
    ) {
        self.matroskaID = matroskaID
        self.privateBytes = privateBytes
        self.bitDepth = bitDepth
        self.uncompressedFourCC = uncompressedFourCC
    }
}
