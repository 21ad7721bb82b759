import CaptureBase

/// Conversions between sample formats, bit by bit and without rounding.
package enum Samples {
    /// Packs S24_LE to S24_3LE: drops the fourth byte, which carries nothing.
    static func pack24(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer) {
        // Wrapping arithmetic: overflow checks would keep the loop from being vectorised.
        let bytes = source.bindMemory(to: UInt8.self)
        let packed = target.assumingMemoryBound(to: UInt8.self)
        for sample in 0..<bytes.count / 4 {
            packed[3 &* sample] = bytes[4 &* sample]
            packed[3 &* sample &+ 1] = bytes[4 &* sample &+ 1]
            packed[3 &* sample &+ 2] = bytes[4 &* sample &+ 2]
        }
    }

    /// Widens integer samples to Int32, sign extended, without scaling.
    static func widen(
        _ source: UnsafeRawBufferPointer, of format: SampleFormat, into target: UnsafeMutablePointer<Int32>
    ) {
        guard let bytes = source.baseAddress else { return }
        let count = source.count / format.bytesPerSample
        switch format {
        case .s16: widen16(bytes, count, target)
        case .s24Packed: widen24Packed(bytes, count, target)
        case .s24: widen24(bytes, count, target)
        // Floating point is copied unchanged: nobody asks for it as integers.
        case .s32, .float32:
            target.withMemoryRebound(to: UInt8.self, capacity: count * 4) { to in
                UnsafeMutableRawPointer(to).copyMemory(from: bytes, byteCount: count * 4)
            }
        }
    }

    /// Converts samples to numbers from -1 to 1.
    package static func float(
        _ source: UnsafeRawBufferPointer, of format: SampleFormat, into target: UnsafeMutablePointer<Float>
    ) {
        guard let bytes = source.baseAddress else { return }
        let count = source.count / format.bytesPerSample
        switch format {
        case .s16: for index in 0..<count { target[index] = Float(sample16(bytes, index)) / 32_768 }
        case .s24Packed: for index in 0..<count { target[index] = Float(sample24Packed(bytes, index)) / 8_388_608 }
        case .s24: for index in 0..<count { target[index] = Float(sample24(bytes, index)) / 8_388_608 }
        case .s32: for index in 0..<count { target[index] = Float(sample32(bytes, index)) / 2_147_483_648 }
        case .float32: UnsafeMutableRawPointer(target).copyMemory(from: bytes, byteCount: count * 4)
        }
    }

    private static func sample16(_ bytes: UnsafeRawPointer, _ index: Int) -> Int16 {
        bytes.loadUnaligned(fromByteOffset: 2 &* index, as: Int16.self)
    }

    private static func sample24Packed(_ bytes: UnsafeRawPointer, _ index: Int) -> Int32 {
        let low = bytes.load(fromByteOffset: 3 &* index, as: UInt8.self)
        let middle = bytes.load(fromByteOffset: 3 &* index &+ 1, as: UInt8.self)
        let high = bytes.load(fromByteOffset: 3 &* index &+ 2, as: Int8.self)
        return Int32(high) << 16 | Int32(middle) << 8 | Int32(low)
    }

    /// Sample of S24_LE, whose fourth byte drivers leave zero, sign extended or dirty.
    private static func sample24(_ bytes: UnsafeRawPointer, _ index: Int) -> Int32 {
        (bytes.loadUnaligned(fromByteOffset: 4 &* index, as: Int32.self) &<< 8) &>> 8
    }

    private static func sample32(_ bytes: UnsafeRawPointer, _ index: Int) -> Int32 {
        bytes.loadUnaligned(fromByteOffset: 4 &* index, as: Int32.self)
    }

    private static func widen16(_ bytes: UnsafeRawPointer, _ count: Int, _ target: UnsafeMutablePointer<Int32>) {
        for index in 0..<count {
            target[index] = Int32(sample16(bytes, index))
        }
    }

    private static func widen24Packed(_ bytes: UnsafeRawPointer, _ count: Int, _ target: UnsafeMutablePointer<Int32>) {
        for index in 0..<count {
            target[index] = sample24Packed(bytes, index)
        }
    }

    private static func widen24(_ bytes: UnsafeRawPointer, _ count: Int, _ target: UnsafeMutablePointer<Int32>) {
        for index in 0..<count {
            target[index] = sample24(bytes, index)
        }
    }
}
