/// Writer of EBML elements (RFC 8794): an id, a length, then a value.
struct EBML {
    private(set) var bytes: [UInt8] = []

    /// Element of elements. Its length is known only when they are built, so they are built apart.
    mutating func master(_ id: MatroskaID, _ build: (inout EBML) -> Void) {
        var inner = EBML()
        build(&inner)
        element(id, inner.bytes)
    }

    /// Unsigned integer in the smallest number of bytes (RFC 8794, 7.2).
    mutating func unsigned(_ id: MatroskaID, _ value: UInt64) { element(id, Self.bigEndian(value)) }

    /// Signed integer or date in eight bytes.
    mutating func signed(_ id: MatroskaID, _ value: Int64) {
        element(id, Self.bigEndian(UInt64(bitPattern: value), width: 8))
    }

    /// Float of 64 bits.
    mutating func float(_ id: MatroskaID, _ value: Double) {
        element(id, Self.bigEndian(value.bitPattern, width: 8))
    }

    /// Text in UTF-8, without a terminator.
    mutating func string(_ id: MatroskaID, _ value: String) { element(id, Array(value.utf8)) }

    /// Element with a value in bytes.
    mutating func element(_ id: MatroskaID, _ value: [UInt8]) {
        bytes += id.bytes + Self.length(value.count) + value
    }

    /// Void element (RFC 8794, 11.3.2) of exactly `size` bytes, 2 to 128: room for an element that
    /// is known only at the end.
    mutating func void(size: Int) {
        bytes += MatroskaID.void.bytes + [0x80 | UInt8(size - 2)] + [UInt8](repeating: 0, count: size - 2)
    }

    mutating func append(_ more: [UInt8]) { bytes += more }

    /// Shortest form of a length. All ones are reserved for "unknown", so the largest value of a
    /// width needs the next one.
    static func length(_ count: Int) -> [UInt8] {
        let width = (1...8).first { UInt64(count) < (UInt64(1) << (7 * UInt64($0))) - 1 } ?? 8
        return length(UInt64(count), width: width)
    }

    /// Length in a fixed width, which can be overwritten later.
    static func length(_ count: UInt64, width: Int) -> [UInt8] {
        bigEndian(count | UInt64(1) << (7 * UInt64(width)), width: width)
    }

    /// Unknown length in eight bytes (RFC 8794, 6.2), to be replaced by the length itself.
    static let unknownLength: [UInt8] = [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]

    /// EBML is big-endian.
    static func bigEndian(_ value: UInt64, width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64(width - 1 - $0))) }
    }

    /// Smallest number of bytes for the value, at least one.
    static func bigEndian(_ value: UInt64) -> [UInt8] {
        bigEndian(value, width: max(1, 8 - value.leadingZeroBitCount / 8))
    }
}

/// Element ids of EBML and Matroska that are written or read (RFC 8794; RFC 9559, section 5).
///
/// Ids include their length marker, as both standards print them.
enum MatroskaID: UInt32 {
    /// EBML header.
    case ebml = 0x1A45_DFA3
    case ebmlVersion = 0x4286
    case ebmlReadVersion = 0x42F7
    case ebmlMaxIDLength = 0x42F2
    case ebmlMaxSizeLength = 0x42F3
    case docType = 0x4282
    case docTypeVersion = 0x4287
    case docTypeReadVersion = 0x4285
    case void = 0xEC

    /// Segment and SeekHead.
    case segment = 0x1853_8067
    case seekHead = 0x114D_9B74
    case seek = 0x4DBB
    case seekID = 0x53AB
    case seekPosition = 0x53AC

    /// Info: time scale, date and names.
    case info = 0x1549_A966
    case timestampScale = 0x2AD7B1
    case duration = 0x4489
    case dateUTC = 0x4461
    case title = 0x7BA9
    case muxingApp = 0x4D80
    case writingApp = 0x5741

    /// Tracks: one TrackEntry each, with Video or Audio in it.
    case tracks = 0x1654_AE6B
    case trackEntry = 0xAE
    case trackNumber = 0xD7
    case trackUID = 0x73C5
    case trackType = 0x83
    case flagLacing = 0x9C
    case name = 0x536E
    case language = 0x22B59C
    case codecID = 0x86
    case codecPrivate = 0x63A2
    case codecDelay = 0x56AA
    case seekPreRoll = 0x56BB
    case defaultDuration = 0x23E383
    case video = 0xE0
    case flagInterlaced = 0x9A
    case fieldOrder = 0x9D
    case pixelWidth = 0xB0
    case pixelHeight = 0xBA
    case displayWidth = 0x54B0
    case displayHeight = 0x54BA
    case displayUnit = 0x54B2
    case uncompressedFourCC = 0x2EB524
    case colour = 0x55B0
    case matrixCoefficients = 0x55B1
    case range = 0x55B9
    case transferCharacteristics = 0x55BA
    case primaries = 0x55BB
    case audio = 0xE1
    case samplingFrequency = 0xB5
    case channels = 0x9F
    case bitDepth = 0x6264

    /// Cluster: blocks and their common timestamp.
    case cluster = 0x1F43_B675
    case timestamp = 0xE7
    case simpleBlock = 0xA3
    case blockGroup = 0xA0
    case block = 0xA1
    case discardPadding = 0x75A2

    /// Cues: the index.
    case cues = 0x1C53_BB6B
    case cuePoint = 0xBB
    case cueTime = 0xB3
    case cueTrackPositions = 0xB7
    case cueTrack = 0xF7
    case cueClusterPosition = 0xF1

    /// Chapters: the losses of a clip.
    case chapters = 0x1043_A770
    case editionEntry = 0x45B9
    case chapterAtom = 0xB6
    case chapterUID = 0x73C4
    case chapterTimeStart = 0x91
    case chapterDisplay = 0x80
    case chapString = 0x85
    case chapLanguage = 0x437C

    /// Tags of the clip and of its tracks.
    case tags = 0x1254_C367
    case tag = 0x7373
    case targets = 0x63C0
    case targetTypeValue = 0x68CA
    case tagTrackUID = 0x63C5
    case simpleTag = 0x67C8
    case tagName = 0x45A3
    case tagString = 0x4487

    /// The id as stored; its first byte contains its length.
    var bytes: [UInt8] { EBML.bigEndian(UInt64(rawValue)) }
}
