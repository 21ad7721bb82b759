import CaptureGate

/// What stands before the frames of a FLAC file (RFC 9639, 8), read without trust.
struct FLACMetadata {
    let info: FLACStreamInfo
    /// To be written before the frames, with STREAMINFO first.
    let head: [UInt8]
    /// Where the frames begin.
    let end: Int64

    /// Where labels may be at most, bytes.
    private static let most: Int64 = 1 << 20

    init(_ source: RecoverySource) throws(CaptureError) {
        let start = try source.read(at: 0, Int(Self.most))
        let said = start.count >= 42 ? FLACStreamInfo(start[8..<42]) : nil
        let checksum = FLACChecksum()
        if let said, let end = Self.end(of: start), start[4] & 0x7F == 0,
            Self.first(start, end, said, checksum) != nil || end == Int(source.size)
        {
            info = said
            head = Array("fLaC".utf8) + start[4..<end]
            self.end = Int64(end)
            return
        }
        guard let (at, info) = Self.search(start, said, checksum) else {
            throw source.broken("what its head says of the sound is damaged")
        }
        self.info = info
        head =
            Array("fLaC".utf8) + [0x80, 0, 0, 34]
            + info.bytes(
                samples: 0, smallestBlock: info.largestBlock, largestBlock: info.largestBlock, frameSizes: 0...0)
        end = Int64(at)
    }

    /// Walks over the blocks.
    private static func end(of bytes: [UInt8]) -> Int? {
        var at = 4
        while at + 4 <= bytes.count {
            let isLast = bytes[at] & 0x80 != 0
            at += 4 + (Int(bytes[at + 1]) << 16 | Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
            if isLast { return at <= bytes.count ? at : nil }
        }
        return nil
    }

    private static func first(
        _ bytes: [UInt8], _ at: Int, _ info: FLACStreamInfo, _ checksum: FLACChecksum
    ) -> FLACFrameHeader? {
        guard let head = FLACFrameHeader(bytes, at: at, checksum), head.number == 0, head.isOf(info) else { return nil }
        return head
    }

    /// The first frame tells what STREAMINFO should.
    private static func search(
        _ bytes: [UInt8], _ said: FLACStreamInfo?, _ checksum: FLACChecksum
    ) -> (Int, FLACStreamInfo)? {
        guard bytes.count > 42 else { return nil }
        for at in 42..<bytes.count where bytes[at] == 0xFF {
            guard let head = FLACFrameHeader(bytes, at: at, checksum), head.number == 0 else { continue }
            if let said, head.isOf(said) { return (at, said) }
            guard head.sampleRate > 0, head.bitsPerSample > 0 else { continue }
            var info = FLACStreamInfo()
            (info.largestBlock, info.sampleRate) = (head.blockFrames, head.sampleRate)
            (info.channels, info.bitsPerSample) = (head.channels, head.bitsPerSample)
            return (at, info)
        }
        return nil
    }

    /// Whether STREAMINFO is that of a finished stream of so many samples.
    func isFinal(samples: Int64) -> Bool {
        guard head.count >= 42 else { return false }
        let said = (21..<26).reduce(Int64(0)) { $0 << 8 | Int64(head[$1]) } & 0xF_FFFF_FFFF
        return said == FLACStreamInfo.totalSamples(samples) && head[26..<42].contains { $0 != 0 }
    }
}

extension FLACFrameHeader {
    /// Whether a stream of this kind can have such a frame.
    func isOf(_ info: FLACStreamInfo) -> Bool {
        channels == info.channels && (bitsPerSample == 0 || bitsPerSample == info.bitsPerSample)
            && (sampleRate == 0 || sampleRate == info.sampleRate) && blockFrames <= info.largestBlock
    }
}
