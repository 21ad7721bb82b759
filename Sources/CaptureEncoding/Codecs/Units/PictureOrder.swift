import CaptureBase

/// Order of a stream's frames: a camera's frames are shown in the order of arrival, and files here have one time for each.
///
/// Frames that come before others that are shown earlier (B-frames) would be stored with times in a wrong order.
///
/// *session-bound*
struct PictureOrder {
    /// Sequence of the frames; `nil` if it does not contain their order.
    private var sequence: SequenceSet?
    /// H.265: fields of the picture parameter sets before a frame's place, by their number.
    private var heads: [UInt32: SliceHead] = [:]
    /// Place of the previous frame in the order of display; `nil` at a key frame.
    private var previous: Int?
    /// Recent frames that are shown before the previous one, and frames in a row that are not.
    private var early = 0
    private var calm = 0

    /// Fields of H.265's picture parameter sets that determine the fields of a slice before its place.
    private struct SliceHead {
        let hasOutputFlag: Bool
        let extraBits: Int
    }

    /// Number of early frames that make it a stream of another order, unless several in a row between them are in order. Damage
    /// looks like an early frame.
    private static let most = 3
    private static let enough = 16

    init() {}

    /// Takes over the sets that decoding begins with.
    init(_ sets: ParameterSets) {
        sequence = sets.sequence
        for set in sets.sets where set.kind == .picture && sets.codec == .hevc {
            set.bytes.withUnsafeBytes { bytes in
                var bits = UnitBits(bytes, from: sets.codec.headBytes, to: bytes.count)
                _ = (bits.unsigned(), bits.unsigned())
                bits.skip(1)
                heads[set.id] = SliceHead(hasOutputFlag: bits.bit() == 1, extraBits: Int(bits.bits(3)))
            }
        }
    }

    /// Notes a frame.
    /// - Returns: false for a stream whose frames are not in the order of display.
    mutating func note(_ picture: AccessUnit, _ bytes: UnsafeRawBufferPointer, _ codec: UnitCodec) -> Bool {
        if codec.isInstant(picture.sliceType) { (previous, early) = (nil, 0) }
        guard let sequence, sequence.orderBits > 0, let slice = picture.slice else { return true }
        var bits = UnitBits(bytes, from: slice.start + codec.headBytes, to: slice.end)
        let found = codec == .avc ? place(&bits, sequence, picture) : placeHEVC(&bits, sequence, picture, codec)
        guard let found, !bits.isOver else { return true }
        let range = 1 << sequence.orderBits
        // Places count modulo the range: a frame more than half of it behind is ahead.
        let isEarly = previous.map { (found - $0) & (range - 1) >= range / 2 } ?? false
        previous = found
        calm = isEarly ? 0 : calm + 1
        early = isEarly ? early + 1 : calm < Self.enough ? early : 0
        return early < Self.most
    }

    /// pic_order_cnt_lsb of slice_header (ITU-T H.264, 7.3.3).
    private func place(_ bits: inout UnitBits, _ sequence: SequenceSet, _ picture: AccessUnit) -> Int? {
        // First macroblock, type of the slice, and picture parameter set.
        _ = (bits.unsigned(), bits.unsigned(), bits.unsigned())
        bits.skip((sequence.hasSeparatePlanes ? 2 : 0) + sequence.numberBits)
        if sequence.mayHaveFields, bits.bit() == 1 { bits.skip(1) }
        if picture.isKey { _ = bits.unsigned() }
        return Int(bits.bits(sequence.orderBits))
    }

    /// slice_pic_order_cnt_lsb of slice_segment_header (ITU-T H.265, 7.3.6.1).
    private func placeHEVC(
        _ bits: inout UnitBits, _ sequence: SequenceSet, _ picture: AccessUnit, _ codec: UnitCodec
    ) -> Int? {
        guard !codec.isInstant(picture.sliceType) else { return 0 }
        // First segment of the frame, and a field that only key frames have.
        bits.skip(picture.isKey ? 2 : 1)
        guard let head = heads[bits.unsigned()] else { return nil }
        bits.skip(head.extraBits)
        _ = bits.unsigned()
        bits.skip((head.hasOutputFlag ? 1 : 0) + (sequence.hasSeparatePlanes ? 2 : 0))
        return Int(bits.bits(sequence.orderBits))
    }
}
