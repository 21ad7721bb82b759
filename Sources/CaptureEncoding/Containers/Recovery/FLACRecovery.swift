import CaptureGate

/// FLAC: every frame has a number and a checksum, so that each whole one is found; silence stands for the others.
///
/// *session-bound*
final class FLACRecovery: Recoverer {
    private let source: RecoverySource
    private let reader: FLACFrameReader
    private var output: ClipOutput
    private let metadata: FLACMetadata
    private var findings = RecoveryFindings()

    /// The number of the frame that is to be written next, and what those before it hold.
    private var next: Int64 = 0
    private var samples: Int64 = 0
    private var shortest = Int.max
    private var frameSizes: ClosedRange<Int>?
    /// What was skipped since the last whole frame.
    private var gap: (offset: Int64, byteCount: Int64)?

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

    private func skip(_ offset: Int64, _ byteCount: Int64) {
        gap = (gap?.offset ?? offset, (gap?.byteCount ?? 0) + byteCount)
    }

    private func keep(_ head: FLACFrameHeader, _ start: Int64, _ end: Int64) throws(CaptureError) {
        let missing = head.number - next
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

    private func writeSilence(_ frames: Int64) throws(CaptureError) {
        for number in next..<next + frames {
            let silence = FLACFrameHeader.silence(number, blockFrames: info.largestBlock, info, reader.checksum)
            try output.write(silence)
            count(info.largestBlock, silence.count)
        }
    }

    private func count(_ blockFrames: Int, _ bytes: Int) {
        samples += Int64(blockFrames)
        shortest = min(shortest, blockFrames)
        frameSizes = min(frameSizes?.lowerBound ?? bytes, bytes)...max(frameSizes?.upperBound ?? bytes, bytes)
    }

    private func finish() throws(CaptureError) -> Int64 {
        // The digest of all samples, which only a whole stream has, is kept where all samples are.
        if !(findings.losses.isEmpty && metadata.isFinal(samples: samples)) {
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
                kind: .audio, name: "", frames: samples, durationNanoseconds: format.nanoseconds(ofFrames: samples))
        ]
        return output.bytesWritten
    }
}
