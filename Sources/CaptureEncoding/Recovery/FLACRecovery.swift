import CaptureBase

/// Recovery of FLAC: each frame has a number and a checksum, so every whole one is found, and
/// silence replaces the others.
///
/// *session-bound*
final class FLACRecovery: Recoverer {
    private let source: RecoverySource
    private let reader: FLACFrameReader
    private var output: ClipOutput
    private let metadata: FLACMetadata
    private var findings = RecoveryFindings()

    /// Number of the next frame to write, and the samples ahead of it.
    private var next: Int64 = 0
    private var samples: Int64 = 0
    /// Smallest block so far, for STREAMINFO.
    private var shortest = Int.max
    /// Smallest and largest frame in bytes, for STREAMINFO.
    private var frameSizes: ClosedRange<Int>?
    /// Bytes skipped since the last whole frame.
    private var gap: (offset: Int64, byteCount: Int64)?

    /// As ``Recoverer/recover(_:into:noting:)``.
    static func recover(
        _ source: RecoverySource, into output: consuming ClipOutput, noting findings: inout RecoveryFindings
    ) throws(CaptureError) -> Int64 {
        let recovery = try FLACRecovery(source, output)
        try recovery.copyFrames()
        let bytes = try recovery.finish()
        findings = recovery.findings
        return bytes
    }

    private init(_ source: RecoverySource, _ output: consuming ClipOutput) throws(CaptureError) {
        self.source = source
        self.output = output
        metadata = try FLACMetadata(source)
        reader = FLACFrameReader(source, metadata.info)
    }

    private var info: FLACStreamInfo { metadata.info }

    /// Copies whole frames and notes the bytes between them.
    private func copyFrames() throws(CaptureError) {
        try output.write(metadata.head)
        var at = metadata.end
        while at < source.size {
            let room = at - (gap?.offset ?? at)
            guard let head = try reader.head(at: at, from: next, skipped: room) else {
                let found =
                    try reader.nextHead(from: at + 1, number: next, skippedFrom: gap?.offset ?? at) ?? source.size
                skip(at, found - at)
                at = found
                continue
            }
            let (end, isWhole) = try reader.end(of: head, at: at)
            if isWhole { try keep(head, at, end) } else { skip(at, end - at) }
            at = end
        }
        if let gap { findings.note(lost: gap.offset, gap.byteCount, .tornEnd) }
    }

    /// Extends the gap. It becomes a loss once a frame after it shows how many are missing.
    private func skip(_ offset: Int64, _ byteCount: Int64) {
        gap = (gap?.offset ?? offset, (gap?.byteCount ?? 0) + byteCount)
    }

    /// Copies a frame, after as many frames of silence as are missing ahead of it.
    private func keep(_ head: FLACFrameHeader, _ start: Int64, _ end: Int64) throws(CaptureError) {
        let missing = head.number - next
        // A gap without a missing number is damage between frames: nothing has to be filled.
        if missing > 0 { try writeSilence(missing) }
        if let gap {
            let format = AudioFormat(sampleRate: info.sampleRate, channels: 1, sampleFormat: .s16)
            let silence = format.nanoseconds(ofFrames: missing * Int64(info.largestBlock))
            findings.note(lost: gap.offset, gap.byteCount, .damaged, silenced: silence)
        }
        gap = nil
        try source.copy(from: start, end - start, to: &output)
        count(head.blockFrames, Int(end - start))
        next = head.number + 1
    }

    /// Writes frames of silence, so that everything after the damage keeps its time.
    private func writeSilence(_ frames: Int64) throws(CaptureError) {
        for number in next..<next + frames {
            let silence = FLACFrameHeader.silence(number, blockFrames: info.largestBlock, info, reader.checksum)
            try output.write(silence)
            count(info.largestBlock, silence.count)
        }
    }

    /// Adds a written frame to the totals.
    private func count(_ blockFrames: Int, _ bytes: Int) {
        samples += Int64(blockFrames)
        shortest = min(shortest, blockFrames)
        frameSizes = min(frameSizes?.lowerBound ?? bytes, bytes)...max(frameSizes?.upperBound ?? bytes, bytes)
    }

    /// Corrects STREAMINFO and finishes the file.
    private func finish() throws(CaptureError) -> Int64 {
        // The MD5 is of all samples (RFC 9639, 8.2), so it is kept only if all are there.
        if !(findings.losses.isEmpty && metadata.isFinal(samples: samples)) {
            // The last block may be shorter than the smallest that STREAMINFO can state, 16 (RFC 9639, 8.2).
            let last = samples == 0 ? info.largestBlock : max(shortest, 16)
            let bytes = info.bytes(
                samples: samples, smallestBlock: min(last, info.largestBlock), largestBlock: info.largestBlock,
                frameSizes: frameSizes ?? 0...0)
            try output.patch(bytes, at: 8)
        }
        try output.finish()
        let format = AudioFormat(sampleRate: info.sampleRate, channels: 1, sampleFormat: .s16)
        findings.tracks = [
            RecoveredTrack(
                kind: .audio, name: "", frames: samples, duration: .nanoseconds(format.nanoseconds(ofFrames: samples)))
        ]
        return output.bytesWritten
    }
}

/// Metadata blocks of a FLAC file (RFC 9639, 8), read without trust.
struct FLACMetadata {
    /// Parameters of the stream.
    let info: FLACStreamInfo
    /// Bytes to write ahead of the frames: `fLaC` and the blocks, STREAMINFO first.
    let head: [UInt8]
    /// Offset of the first frame.
    let end: Int64

    /// Bytes within which labels must end.
    private static let most: Int64 = 1 << 20

    /// Reads the metadata. If the blocks are damaged, frame 0 is searched: its header confirms
    /// STREAMINFO or replaces it, and the labels are lost.
    /// - Throws: `.badInput` if neither tells the format.
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
            throw source.broken("its audio header is damaged")
        }
        self.info = info
        head =
            Array("fLaC".utf8) + [0x80, 0, 0, 34]
            + info.bytes(
                samples: 0, smallestBlock: info.largestBlock, largestBlock: info.largestBlock, frameSizes: 0...0)
        end = Int64(at)
    }

    /// Offset after the last metadata block (RFC 9639, 8.1).
    private static func end(of bytes: [UInt8]) -> Int? {
        var at = 4
        while at + 4 <= bytes.count {
            let isLast = bytes[at] & 0x80 != 0
            at += 4 + (Int(bytes[at + 1]) << 16 | Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
            if isLast { return at <= bytes.count ? at : nil }
        }
        return nil
    }

    /// Header of frame 0 at an offset, which proves that the metadata is complete.
    private static func first(
        _ bytes: [UInt8], _ at: Int, _ info: FLACStreamInfo, _ checksum: FLACChecksum
    ) -> FLACFrameHeader? {
        guard let head = FLACFrameHeader(bytes, at: at, checksum), head.number == 0, head.isOf(info) else { return nil }
        return head
    }

    /// Finds frame 0, whose header repeats most of STREAMINFO.
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

    /// True if STREAMINFO is that of a finished stream with this number of samples, and has an MD5.
    func isFinal(samples: Int64) -> Bool {
        guard head.count >= 42 else { return false }
        let said = (21..<26).reduce(Int64(0)) { $0 << 8 | Int64(head[$1]) } & 0xF_FFFF_FFFF
        return said == FLACStreamInfo.totalSamples(samples) && head[26..<42].contains { $0 != 0 }
    }
}

/// Check against the stream.
extension FLACFrameHeader {
    /// Tells that a stream of these parameters can have such a frame.
    func isOf(_ info: FLACStreamInfo) -> Bool {
        channels == info.channels && (bitsPerSample == 0 || bitsPerSample == info.bitsPerSample)
            && (sampleRate == 0 || sampleRate == info.sampleRate) && blockFrames <= info.largestBlock
    }
}

/// Search for frames in a FLAC file.
///
/// A frame's length is not stored: it ends at the next valid header whose number fits, and its CRC-16 then shows whether it is
/// complete. The file is read through a window of 1 MiB.
///
/// *session-bound*
final class FLACFrameReader {
    let checksum = FLACChecksum()
    private let source: RecoverySource
    private let info: FLACStreamInfo
    /// Bytes in memory, and their offset in the file.
    private var window: [UInt8] = []
    private var windowAt: Int64 = 0

    private static let windowBytes = 1 << 20
    /// Smallest frame in bytes: header, a constant per channel, checksum.
    private static let leastFrame: Int64 = 10

    init(_ source: RecoverySource, _ info: FLACStreamInfo) {
        self.source = source
        self.info = info
    }

    /// Index of an offset in the window, with a header's length after it if the file is long enough.
    private func index(of offset: Int64) throws(CaptureError) -> Int {
        let needed = min(offset + Int64(FLACFrameHeader.most), source.size)
        if offset < windowAt || needed > windowAt + Int64(window.count) {
            window = try source.read(at: offset, Self.windowBytes)
            windowAt = offset
        }
        return Int(offset - windowAt)
    }

    /// Reads the header at an offset.
    /// - Parameters:
    ///   - offset: offset in the file.
    ///   - number: smallest frame number it may have.
    ///   - skipped: bytes that may have held the frames between.
    /// - Returns: `nil` if this stream has none.
    func head(at offset: Int64, from number: Int64, skipped: Int64) throws(CaptureError) -> FLACFrameHeader? {
        let index = try index(of: offset)
        guard let head = FLACFrameHeader(window, at: index, checksum), head.isOf(info) else { return nil }
        // No more frames can be missing than the skipped bytes had room for: a number beyond is chance or damage.
        return (number...number + skipped / Self.leastFrame + 1).contains(head.number) ? head : nil
    }

    /// Finds the next header.
    /// - Returns: its offset; `nil` if none exists.
    func nextHead(from start: Int64, number: Int64, skippedFrom: Int64) throws(CaptureError) -> Int64? {
        var at = start
        while at < source.size {
            let first = try index(of: at)
            guard let found = window[first...].firstIndex(of: 0xFF) else {
                at = windowAt + Int64(window.count)
                continue
            }
            at = windowAt + Int64(found)
            if try head(at: at, from: number, skipped: at - skippedFrom) != nil { return at }
            at += 1
        }
        return nil
    }

    /// Finds the end of a frame.
    /// - Returns: the offset of its end, and true if its CRC-16 is right.
    func end(of head: FLACFrameHeader, at start: Int64) throws(CaptureError) -> (Int64, Bool) {
        var (at, check) = (start, UInt16(0))
        while at < source.size {
            let first = try index(of: at)
            // Past the header's sync code, to the next byte that may begin another.
            let from = at == start ? first + 2 : first + 1
            let found = from < window.count ? window[from...].firstIndex(of: 0xFF) ?? window.count : window.count
            check = checksum.frame(window[first..<found], after: check)
            at = windowAt + Int64(found)
            let skipped = at - start
            if at < source.size, try self.head(at: at, from: head.number + 1, skipped: skipped) != nil {
                return (at, check == 0)
            }
        }
        return (source.size, check == 0)
    }
}
