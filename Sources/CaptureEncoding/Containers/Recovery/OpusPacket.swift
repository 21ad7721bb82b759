/// What the first byte of an Opus packet says (RFC 6716, 3.1).
enum OpusPacket {
    /// Samples at 48 kHz.
    /// - Returns: `nil` for what is no packet.
    static func samples(_ packet: ArraySlice<UInt8>) -> Int64? {
        guard let first = packet.first else { return nil }
        let frame = frameSamples(first >> 3)
        switch first & 3 {
        case 0: return frame
        case 1, 2: return 2 * frame
        default:
            guard packet.count > 1 else { return nil }
            let count = Int64(packet[packet.startIndex + 1] & 0x3F)
            return count > 0 && count * frame <= 5760 ? count * frame : nil
        }
    }

    private static func frameSamples(_ configuration: UInt8) -> Int64 {
        switch configuration {
        case 0..<12: [480, 960, 1920, 2880][Int(configuration) % 4]
        case 12..<16: configuration % 2 == 0 ? 480 : 960
        default: [120, 240, 480, 960][Int(configuration) % 4]
        }
    }

    /// One frame that was not sent, for every stream inside: a decoder conceals it.
    /// - Parameter like: a packet whose frames are as long.
    static func missing(like packet: ArraySlice<UInt8>, streams: Int) -> [UInt8] {
        let first = (packet.first ?? 0xF8) & 0xFC
        // All but the last say their frame's length, which is 0 (RFC 6716, appendix B).
        return (1..<max(streams, 1)).flatMap { _ in [first, 0] } + [first]
    }
}
