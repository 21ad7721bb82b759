/// Writer of boxes (ISO/IEC 14496-12, 4.2): a size, a type of four characters, then the content.
struct MP4Boxes {
    private(set) var bytes: [UInt8] = []

    /// Box with content of 4 GiB at most.
    mutating func box(_ type: MP4Type, _ build: (inout MP4Boxes) -> Void) {
        let start = bytes.count
        put(0, 4)
        put(type)
        build(&self)
        setSize(of: start)
    }

    /// FullBox (ISO/IEC 14496-12, 4.2): a box that begins with a version and flags.
    mutating func fullBox(
        _ type: MP4Type, version: Int = 0, flags: Int = 0, _ build: (inout MP4Boxes) -> Void = { _ in }
    ) {
        box(type) { box in
            box.put(version, 1)
            box.put(flags, 3)
            build(&box)
        }
    }

    /// Big-endian number of 1 to 8 bytes; its lowest bytes, if it has more.
    mutating func put(_ value: some FixedWidthInteger, _ width: Int) {
        for byte in 0..<width { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - byte)))) }
    }

    mutating func put(_ type: MP4Type) { put(type.rawValue, 4) }
    mutating func put(_ more: some Sequence<UInt8>) { bytes += more }
    mutating func zeros(_ count: Int) { bytes += repeatElement(0, count: count) }

    /// Text in UTF-8 with a terminator.
    mutating func string(_ text: String) {
        put(text.utf8.filter { $0 != 0 })
        put(0, 1)
    }

    /// Fixed-point number with half of its bits after the point.
    mutating func fixed(_ value: Int, _ width: Int) { put(value << (4 * width), width) }

    /// Unity matrix of a movie and a track (ISO/IEC 14496-12, 6.2.2).
    mutating func unityMatrix() {
        for value in [0x0001_0000, 0, 0, 0, 0x0001_0000, 0, 0, 0, 0x4000_0000] { put(value, 4) }
    }

    /// Sets the size of a box that ends here.
    private mutating func setSize(of start: Int) {
        let size = bytes.count - start
        for byte in 0..<4 { bytes[start + byte] = UInt8(truncatingIfNeeded: size >> (8 * (3 - byte))) }
    }
}

/// Types of boxes that are written or read, as numbers of four characters.
struct MP4Type: RawRepresentable, Hashable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// - Parameter name: four characters of Latin-1.
    init(_ name: StaticString) {
        rawValue = name.withUTF8Buffer { bytes in
            // The copyright sign of iTunes' items is one byte in a file and two in UTF-8.
            bytes.filter { $0 != 0xC2 }.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * UInt32($0))) } }
}

/// Boxes of ISO/IEC 14496-12, by clause.
extension MP4Type {
    /// File: 4.3, 8.1, 8.2 and 8.8.
    static let (fileType, free, mediaData) = (MP4Type("ftyp"), MP4Type("free"), MP4Type("mdat"))
    static let (movie, movieHeader) = (MP4Type("moov"), MP4Type("mvhd"))
    static let (movieExtends, trackExtends) = (MP4Type("mvex"), MP4Type("trex"))
    static let (fragment, fragmentHeader) = (MP4Type("moof"), MP4Type("mfhd"))
    static let (trackFragment, trackFragmentHeader) = (MP4Type("traf"), MP4Type("tfhd"))
    static let (decodeTime, trackRun) = (MP4Type("tfdt"), MP4Type("trun"))

    /// Track: 8.3 to 8.6.
    static let (track, trackHeader) = (MP4Type("trak"), MP4Type("tkhd"))
    static let (edits, editList) = (MP4Type("edts"), MP4Type("elst"))
    static let (media, mediaHeader, handler) = (MP4Type("mdia"), MP4Type("mdhd"), MP4Type("hdlr"))
    static let (mediaInformation, videoHeader, soundHeader) = (MP4Type("minf"), MP4Type("vmhd"), MP4Type("smhd"))
    static let (dataInformation, dataReference, dataURL) = (MP4Type("dinf"), MP4Type("dref"), MP4Type("url "))

    /// Sample table: 8.5 to 8.7.
    static let (sampleTable, sampleDescription) = (MP4Type("stbl"), MP4Type("stsd"))
    static let (timeToSample, syncSample) = (MP4Type("stts"), MP4Type("stss"))
    static let (sampleToChunk, sampleSize) = (MP4Type("stsc"), MP4Type("stsz"))
    static let (chunkOffset, largeChunkOffset) = (MP4Type("stco"), MP4Type("co64"))

    /// Metadata: 8.10 and 8.11.
    static let (userData, meta) = (MP4Type("udta"), MP4Type("meta"))
}
