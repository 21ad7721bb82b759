import CaptureGate

/// What the head of a WAV file says, read without trust.
struct WAVHeader: Hashable {
    let format: AudioFormat
    let dataAt: Int
    /// What the head says of the data's length; `nil` where it says "as long as it goes on".
    let saidBytes: Int64?

    /// The longest head that is looked at, bytes.
    static let most = 4096

    init?(_ bytes: [UInt8]) {
        guard let description = Self.find("fmt ", in: bytes, from: 0),
            let format = Self.format(bytes, description + 8),
            let data = Self.find("data", in: bytes, from: description + 24)
        else { return nil }
        self.format = format
        dataAt = data + 8
        saidBytes = Self.length(bytes, data)
    }

    /// By its name alone: what lies before it may be damaged.
    private static func find(_ name: String, in bytes: [UInt8], from start: Int) -> Int? {
        let name = Array(name.utf8)
        guard bytes.count >= start + 8 else { return nil }
        return (start...bytes.count - 8).first { bytes[$0..<$0 + 4].elementsEqual(name) }
    }

    private static func length(_ bytes: [UInt8], _ data: Int) -> Int64? {
        let short = Int64(number(bytes, data + 4, 4))
        guard short == 0xFFFF_FFFF else { return short }
        guard bytes.count >= 36, bytes.starts(with: Array("RF64".utf8)), number(bytes, 28, 8) <= Int64.max else {
            return nil
        }
        return Int64(number(bytes, 28, 8))
    }

    private static func format(_ bytes: [UInt8], _ at: Int) -> AudioFormat? {
        guard bytes.count >= at + 16 else { return nil }
        var tag = Int(number(bytes, at, 2))
        if tag == 0xFFFE, bytes.count >= at + 26 { tag = Int(number(bytes, at + 24, 2)) }
        let (channels, rate) = (Int(number(bytes, at + 2, 2)), Int(number(bytes, at + 4, 4)))
        let (frameBytes, bits) = (Int(number(bytes, at + 12, 2)), Int(number(bytes, at + 14, 2)))
        let known: [SampleFormat: (Int, Int)] = [.s16: (1, 16), .s24Packed: (1, 24), .s32: (1, 32), .float32: (3, 32)]
        guard let sample = known.first(where: { $0.value == (tag, bits) })?.key else { return nil }
        let format = AudioFormat(sampleRate: rate, channels: channels, sampleFormat: sample)
        guard (try? format.checkValues()) != nil, format.bytesPerFrame == frameBytes else { return nil }
        return format
    }

    private static func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[at + $1]) << (8 * UInt64($1)) }
    }

    /// The data is written before the head is changed: what is there counts, but for the byte that makes it even.
    func dataBytes(inFileOf size: Int64) -> Int64 {
        let rest = max(size - Int64(dataAt), 0)
        guard let saidBytes, saidBytes % 2 == 1, saidBytes == rest - 1 else { return rest }
        return saidBytes
    }
}
