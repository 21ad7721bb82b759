import CaptureBase

/// Unit that says how to decode others.
///
/// *thread-safe*
struct ParameterSet: Hashable, Sendable {
    enum Kind: UInt8, Hashable, Sendable {
        /// VPS, of H.265 alone.
        case video
        /// SPS.
        case sequence
        /// PPS.
        case picture
    }

    let kind: Kind
    /// Number by which other units refer to it.
    let id: UInt32
    /// Whole unit, without a start code.
    let bytes: [UInt8]

    /// Maximum bytes of one: a record has two bytes for its length, and no camera needs a tenth of that.
    static let most = 4096

    /// Reads a unit's number.
    /// - Returns: `nil` for a unit that is cut off, too large, or has an invalid number.
    init?(_ kind: Kind, _ bytes: [UInt8], _ codec: UnitCodec) {
        guard bytes.count <= Self.most, let id = Self.id(kind, bytes, codec), id < 256 else { return nil }
        (self.kind, self.id, self.bytes) = (kind, id, bytes)
    }

    private static func id(_ kind: Kind, _ bytes: [UInt8], _ codec: UnitCodec) -> UInt32? {
        switch kind {
        case .sequence: SequenceSet(bytes, codec)?.id
        case .video: bytes.count > 6 ? UInt32(bytes[2] >> 4) : nil
        case .picture:
            bytes.withUnsafeBytes { bytes in
                var bits = UnitBits(bytes, from: codec.headBytes, to: bytes.count)
                let id = bits.unsigned()
                return bits.isOver ? nil : id
            }
        }
    }

    /// Compares with a unit in a buffer, without a copy of it.
    func equals(_ buffer: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Bool {
        guard end - start == bytes.count else { return false }
        for index in 0..<bytes.count where buffer[start + index] != bytes[index] { return false }
        return true
    }
}

/// Parameter sets of a stream, the latest of each kind and number, and the record that containers have of them.
///
/// *thread-safe*
struct ParameterSets: Hashable, Sendable {
    let codec: UnitCodec
    /// In the order of their kinds, those of a kind by number.
    private(set) var sets: [ParameterSet] = []

    /// Most sets of a kind: `avcC` has five bits for their number.
    private static let most = 16

    init(_ codec: UnitCodec) { self.codec = codec }

    /// Adds units after their lengths of four bytes.
    init(lengths bytes: [UInt8], _ codec: UnitCodec) {
        self.init(codec)
        for unit in UnitCodec.units(behindLengths: bytes) { take(Array(unit)) }
    }

    /// Takes the sets of a buffer in.
    /// - Returns: true if any of them was new, or another than before. Only then memory is taken.
    mutating func take(from bytes: UnsafeRawBufferPointer) -> Bool {
        var scanner = UnitScanner(bytes)
        var isNew = false
        while let unit = scanner.unit() {
            guard unit.end - unit.start > codec.headBytes, codec.set(codec.type(bytes[unit.start])) != nil,
                !has(bytes, unit.start, unit.end)
            else { continue }
            if take(Array(bytes[unit.start..<unit.end])) { isNew = true }
        }
        return isNew
    }

    /// True for a unit that is one of these, to the bit.
    func has(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Bool {
        // By index: iterating allocates in a debug build.
        for index in 0..<sets.count where sets[index].equals(bytes, start, end) { return true }
        return false
    }

    /// Takes one in, in place of an older one of its kind and number.
    @discardableResult
    private mutating func take(_ unit: [UInt8]) -> Bool {
        guard let first = unit.first, let kind = codec.set(codec.type(first)), let set = ParameterSet(kind, unit, codec)
        else { return false }
        sets.removeAll { $0.kind == kind && $0.id == set.id }
        guard sets.count(where: { $0.kind == kind }) < Self.most else { return false }
        sets.append(set)
        sets.sort { ($0.kind.rawValue, $0.id) < ($1.kind.rawValue, $1.id) }
        return true
    }

    private func all(_ kind: ParameterSet.Kind) -> [ParameterSet] { sets.filter { $0.kind == kind } }

    /// True if the sets are enough for a decoder.
    var isComplete: Bool {
        !all(.sequence).isEmpty && !all(.picture).isEmpty && (codec == .avc || !all(.video).isEmpty)
    }

    /// The sequence, if there is one alone: a camera codes one.
    var sequence: SequenceSet? { all(.sequence).first.flatMap { SequenceSet($0.bytes, codec) } }

    /// Bytes of the sets after start codes, as in a stream.
    var stream: [UInt8] { sets.flatMap { [0, 0, 0, 1] + $0.bytes } }

    /// Record of containers: content of `avcC` or `hvcC`, and CodecPrivate; `nil` if sets are missing.
    var record: [UInt8]? {
        guard isComplete, let sequence else { return nil }
        return codec == .avc ? avcRecord(sequence) : hevcRecord(sequence)
    }
}

extension ParameterSets {
    /// AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1).
    private func avcRecord(_ sequence: SequenceSet) -> [UInt8] {
        let (sequences, pictures) = (all(.sequence), all(.picture))
        let first = sequences[0].bytes
        // Version 1, profile, its constraints and the level; lengths of four bytes; reserved bits are ones.
        var record: [UInt8] = [1, first[1], first[2], first[3], 0xFC | 3, 0xE0 | UInt8(sequences.count)]
        for set in sequences { Self.append(set, to: &record) }
        record.append(UInt8(clamping: pictures.count))
        for set in pictures { Self.append(set, to: &record) }
        // High and above: sampling and depth, and no extensions of the sequence parameter set.
        if ![66, 77, 88].contains(first[1]) {
            record += [
                0xFC | UInt8(sequence.chroma & 3), 0xF8 | UInt8(sequence.lumaBits - 8 & 7),
                0xF8 | UInt8(sequence.chromaBits - 8 & 7), 0,
            ]
        }
        return record
    }

    /// HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3.1). Makes no promise about slices or a constant rate.
    private func hevcRecord(_ sequence: SequenceSet) -> [UInt8] {
        var record: [UInt8] = [1] + sequence.profile
        // Reserved ones around fields: least segmentation, parallelism, sampling, depths; then the mean rate.
        record += [0xF0, 0, 0xFC, 0xFC | UInt8(sequence.chroma & 3), 0xF8 | UInt8(sequence.lumaBits - 8 & 7)]
        record += [0xF8 | UInt8(sequence.chromaBits - 8 & 7), 0, 0]
        // Sub-layers, their nesting, and lengths of four bytes.
        record.append(UInt8(sequence.layers & 7) << 3 | (sequence.isNested ? 4 : 0) | 3)
        let kinds: [(ParameterSet.Kind, UInt8)] = [(.video, 32), (.sequence, 33), (.picture, 34)]
        record.append(UInt8(kinds.count))
        for (kind, type) in kinds {
            let sets = all(kind)
            // All sets of that kind are here, as `hvc1` promises.
            record += [0x80 | type, 0, UInt8(clamping: sets.count)]
            for set in sets { Self.append(set, to: &record) }
        }
        return record
    }

    /// Parameter set after its length in two bytes.
    private static func append(_ set: ParameterSet, to record: inout [UInt8]) {
        record += [UInt8(truncatingIfNeeded: set.bytes.count >> 8), UInt8(truncatingIfNeeded: set.bytes.count)]
        record += set.bytes
    }
}
