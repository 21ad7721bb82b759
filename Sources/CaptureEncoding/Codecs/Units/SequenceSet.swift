import CaptureBase

/// Sequence parameter set, as far as containers and the order of frames need it (ITU-T H.264, 7.3.2.1.1; H.265, 7.3.2.2).
///
/// *thread-safe*
struct SequenceSet: Hashable, Sendable {
    /// Number by which picture parameter sets refer to it.
    private(set) var id: UInt32 = 0
    /// Size of the decoded frame, without the cropped part, in pixels.
    private(set) var width = 0
    private(set) var height = 0
    /// Size of the coded frame, in whole blocks.
    private(set) var codedWidth = 0
    private(set) var codedHeight = 0
    /// Sampling of the colours: 0 grey, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    private(set) var chroma: UInt32 = 1
    /// Bits of a sample.
    private(set) var lumaBits: UInt32 = 8
    private(set) var chromaBits: UInt32 = 8
    /// Three planes are coded like three frames.
    private(set) var hasSeparatePlanes = false
    /// Bits of a frame's place in the order of display (POC), modulo which it counts; 0 if slices have none.
    private(set) var orderBits = 0
    /// H.264: bits of frame_num, and whether frames may be fields.
    private(set) var numberBits = 0
    private(set) var mayHaveFields = false
    /// H.265: general_profile_tier_level, twelve bytes, and temporal sub-layers with their nesting.
    private(set) var profile: [UInt8] = []
    private(set) var layers: UInt32 = 1
    private(set) var isNested = false

    /// Largest side that a set may claim, pixels.
    private static let longestSide = 65_535

    /// Reads a unit.
    /// - Parameter unit: with its header, without a start code.
    /// - Returns: `nil` for one that is cut off or says what can't be.
    init?(_ unit: [UInt8], _ codec: UnitCodec) {
        let isRead = unit.withUnsafeBytes { bytes in
            var bits = UnitBits(bytes, from: codec.headBytes, to: bytes.count)
            switch codec {
            case .avc: readAVC(&bits)
            case .hevc: readHEVC(&bits)
            }
            return !bits.isOver
        }
        guard isRead, isPossible else { return nil }
    }

    private var isPossible: Bool {
        (1...Self.longestSide).contains(width) && (1...Self.longestSide).contains(height) && chroma < 4
            && (8...16).contains(lumaBits) && (8...16).contains(chromaBits) && orderBits <= 16 && numberBits <= 16
            && id < 32
    }

    /// Crops the coded frame by numbers of units at its left, right, top and bottom.
    private mutating func crop(_ sides: (UInt32, UInt32, UInt32, UInt32), unit: (Int, Int)) {
        width = codedWidth - (Int(sides.0) + Int(sides.1)) * unit.0
        height = codedHeight - (Int(sides.2) + Int(sides.3)) * unit.1
    }

    /// Pixels of a chroma sample in each direction.
    private var chromaUnit: (Int, Int) {
        hasSeparatePlanes || chroma == 0 || chroma > 2 ? (1, 1) : (2, chroma == 1 ? 2 : 1)
    }
}

/// H.264.
extension SequenceSet {
    /// Profiles that state sampling and depth; all others have 4:2:0 of 8 bits.
    private static func statesSamples(_ profile: UInt32) -> Bool {
        switch profile {
        case 100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135: true
        default: false
        }
    }

    /// seq_parameter_set_data.
    private mutating func readAVC(_ bits: inout UnitBits) {
        let profile = bits.bits(8)
        // Constraints and level.
        bits.skip(16)
        id = bits.unsigned()
        if Self.statesSamples(profile) { readSamples(&bits) }
        numberBits = Int(min(bits.unsigned(), 28)) + 4
        readOrder(&bits)
        // Reference frames, and gaps in frame_num.
        _ = bits.unsigned()
        bits.skip(1)
        let size = (bits.unsigned(), bits.unsigned())
        mayHaveFields = bits.bit() == 0
        if mayHaveFields { bits.skip(1) }
        bits.skip(1)
        guard size.0 < 4096, size.1 < 4096 else { return }
        let rows = mayHaveFields ? 2 : 1
        (codedWidth, codedHeight) = (16 * (Int(size.0) + 1), 16 * rows * (Int(size.1) + 1))
        (width, height) = (codedWidth, codedHeight)
        guard bits.bit() == 1 else { return }
        let unit = chromaUnit
        crop((bits.unsigned(), bits.unsigned(), bits.unsigned(), bits.unsigned()), unit: (unit.0, unit.1 * rows))
    }

    private mutating func readSamples(_ bits: inout UnitBits) {
        chroma = bits.unsigned()
        if chroma == 3 { hasSeparatePlanes = bits.bit() == 1 }
        lumaBits = 8 + min(bits.unsigned(), 16)
        chromaBits = 8 + min(bits.unsigned(), 16)
        // qpprime_y_zero_transform_bypass_flag, then the scaling matrices.
        bits.skip(1)
        guard bits.bit() == 1 else { return }
        for list in 0..<(chroma == 3 ? 12 : 8) where bits.bit() == 1 { Self.skipScaling(list < 6 ? 16 : 64, &bits) }
    }

    /// scaling_list (7.3.2.1.1.1).
    private static func skipScaling(_ count: Int, _ bits: inout UnitBits) {
        var (last, next): (Int64, Int64) = (8, 8)
        for _ in 0..<count {
            if next != 0 { next = (last + bits.signed() + 256) & 255 }
            last = next == 0 ? last : next
        }
    }

    /// Kind of the order of display: 0 states it in each slice; 2 is that of decoding.
    private mutating func readOrder(_ bits: inout UnitBits) {
        switch bits.unsigned() {
        case 0: orderBits = Int(min(bits.unsigned(), 28)) + 4
        case 1:
            bits.skip(1)
            _ = (bits.signed(), bits.signed())
            for _ in 0..<min(bits.unsigned(), 255) { _ = bits.signed() }
        default: break
        }
    }
}

/// H.265.
extension SequenceSet {
    /// Bytes of general_profile_tier_level.
    static let profileBytes = 12

    private mutating func readHEVC(_ bits: inout UnitBits) {
        // The number of the video parameter set.
        bits.skip(4)
        layers = bits.bits(3) + 1
        isNested = bits.bit() == 1
        for _ in 0..<Self.profileBytes { profile.append(UInt8(truncatingIfNeeded: bits.bits(8))) }
        skipLayers(&bits)
        id = bits.unsigned()
        chroma = bits.unsigned()
        if chroma == 3 { hasSeparatePlanes = bits.bit() == 1 }
        (codedWidth, codedHeight) = (Int(bits.unsigned()), Int(bits.unsigned()))
        (width, height) = (codedWidth, codedHeight)
        if bits.bit() == 1 {
            crop((bits.unsigned(), bits.unsigned(), bits.unsigned(), bits.unsigned()), unit: chromaUnit)
        }
        lumaBits = 8 + min(bits.unsigned(), 16)
        chromaBits = 8 + min(bits.unsigned(), 16)
        orderBits = Int(min(bits.unsigned(), 28)) + 4
    }

    /// Profiles and levels of sub-layers (7.3.3).
    private func skipLayers(_ bits: inout UnitBits) {
        guard layers > 1 else { return }
        var skipped = 0
        for _ in 1..<layers {
            if bits.bit() == 1 { skipped += 88 }
            if bits.bit() == 1 { skipped += 8 }
        }
        for _ in layers..<9 { bits.skip(2) }
        bits.skip(skipped)
    }
}
