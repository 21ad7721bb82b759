/// The two cyclic checks of FLAC's frames (RFC 9639, 9.1.8 and 9.3).
struct FLACChecksum {
    private let heads: [UInt8]
    private let frames: [UInt16]

    init() {
        heads = (0..<256).map { byte in
            (0..<8).reduce(UInt8(byte)) { value, _ in value & 0x80 == 0 ? value << 1 : value << 1 ^ 0x07 }
        }
        frames = (0..<256).map { byte in
            (0..<8).reduce(UInt16(byte) << 8) { value, _ in value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x8005 }
        }
    }

    func head(_ bytes: ArraySlice<UInt8>) -> UInt8 {
        bytes.reduce(0) { heads[Int($0 ^ $1)] }
    }

    func frame(_ bytes: ArraySlice<UInt8>, after start: UInt16 = 0) -> UInt16 {
        bytes.reduce(start) { $0 << 8 ^ frames[Int(UInt8(truncatingIfNeeded: $0 >> 8) ^ $1)] }
    }
}
