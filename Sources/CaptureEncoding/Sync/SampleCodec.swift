import CaptureGate

/// Between samples in memory and numbers, in the samples' own units, so that whole numbers stay what they are.
struct SampleCodec {
    let format: SampleFormat

    /// Appends samples as numbers.
    func decode(_ bytes: UnsafeRawBufferPointer, into numbers: inout [Double]) {
        let size = format.bytesPerSample
        for offset in stride(from: 0, to: bytes.count - size + 1, by: size) {
            numbers.append(number(bytes, offset))
        }
    }

    private func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Double {
        switch format {
        case .s16: Double(bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))
        case .s24Packed:
            Double(
                Int32(bytes[offset]) | Int32(bytes[offset + 1]) << 8
                    | Int32(Int8(bitPattern: bytes[offset + 2])) << 16)
        case .s24: Double(bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self) << 8) / 256
        case .s32: Double(bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        case .float32: Double(bytes.loadUnaligned(fromByteOffset: offset, as: Float.self))
        }
    }

    /// Rounds to the nearest, and holds at full scale what would be beyond.
    func encode(_ number: Double, at offset: Int, in bytes: UnsafeMutableRawBufferPointer) {
        switch format {
        case .s16: bytes.storeBytes(of: Int16(whole(number, 32_767)), toByteOffset: offset, as: Int16.self)
        case .s24Packed:
            let value = Int32(whole(number, 8_388_607))
            bytes[offset] = UInt8(truncatingIfNeeded: value)
            bytes[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
            bytes[offset + 2] = UInt8(truncatingIfNeeded: value >> 16)
        case .s24: bytes.storeBytes(of: Int32(whole(number, 8_388_607)), toByteOffset: offset, as: Int32.self)
        case .s32: bytes.storeBytes(of: Int32(whole(number, 2_147_483_647)), toByteOffset: offset, as: Int32.self)
        case .float32: bytes.storeBytes(of: Float(number), toByteOffset: offset, as: Float.self)
        }
    }

    private func whole(_ number: Double, _ most: Double) -> Double {
        min(max(number.rounded(), -most - 1), most)
    }
}
