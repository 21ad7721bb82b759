/// Notes as PNG has them: iTXt chunks behind IHDR (ISO/IEC 15948, 11.3.4.5).
struct PNGMetadata {
    private let texts: [(keyword: String, text: String)]

    /// Signature and IHDR.
    private static let headSize = 33

    init(_ notes: StillMetadata) {
        let date = notes.date.map { StillMetadata.digits($0, 2) }
        // RFC 3339, as PNG's third edition wants it.
        let time = "\(date[0])-\(date[1])-\(date[2])T\(date[3]):\(date[4]):\(date[5]).\(notes.milliseconds)Z"
        let all: [(String, String?)] = [
            ("Title", StillMetadata.safe(notes.title)), ("Source", StillMetadata.safe(notes.device)),
            ("Software", StillMetadata.software), ("Creation Time", time),
        ]
        texts = all.compactMap { keyword, text in text.map { (keyword, $0) } }
    }

    func added(to file: [UInt8]) -> [UInt8] {
        guard file.count > Self.headSize else { return file }
        return file[..<Self.headSize] + texts.flatMap(Self.chunk) + file[Self.headSize...]
    }

    private static func chunk(_ keyword: String, _ text: String) -> [UInt8] {
        // Not compressed, of no language, and the keyword not translated.
        let body = Array("iTXt".utf8) + Array(keyword.utf8) + [0, 0, 0, 0, 0] + Array(text.utf8)
        return bytes(UInt32(body.count - 4)) + body + bytes(checksum(body))
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }

    /// CRC-32 (annex D).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
        }
    }
}
