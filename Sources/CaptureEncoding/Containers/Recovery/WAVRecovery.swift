import CaptureGate

/// RIFF WAVE and RF64: the sizes in the head follow the file's length, down to whole frames.
enum WAVRecovery: Recoverer {
    static func recover(
        _ source: RecoverySource, into output: consuming ClipOutput, noting findings: inout RecoveryFindings
    ) throws(CaptureError) -> Int64 {
        guard let head = WAVHeader(try source.read(at: 0, WAVHeader.most)) else {
            throw source.broken("what its head says of the sound is damaged")
        }
        let track = ClipTrack(.audio(head.format), name: "", device: "")
        let stream = try WAVStream(track)
        let held = head.dataBytes(inFileOf: source.size)
        let frameBytes = Int64(PCMEncoder.storedBytesPerFrame(head.format))
        let totals = StreamTotals(frames: held / frameBytes, bytes: held / frameBytes * frameBytes)
        stream.setTotals(totals)
        var output = output
        try output.write(stream.head)
        try source.copy(from: Int64(head.dataAt), totals.bytes, to: &output)
        try output.write(stream.tail(totals))
        try output.finish()
        findings.note(lost: Int64(head.dataAt) + totals.bytes, held - totals.bytes, .tornEnd)
        findings.tracks = [
            RecoveredTrack(
                kind: .audio, name: "", frames: totals.frames,
                durationNanoseconds: head.format.nanoseconds(ofFrames: totals.frames))
        ]
        return output.bytesWritten
    }
}
