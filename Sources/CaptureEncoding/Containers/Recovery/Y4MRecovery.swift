import CaptureGate

/// YUV4MPEG2: every picture takes the same room, so each is found even if the one before is damaged.
enum Y4MRecovery: Recoverer {
    static func recover(
        _ source: RecoverySource, into output: consuming ClipOutput, noting findings: inout RecoveryFindings
    ) throws(CaptureError) -> Int64 {
        guard let head = Y4MHeader(try source.read(at: 0, Y4MHeader.most)) else {
            throw source.broken("its first line is damaged")
        }
        var output = output
        try output.write(head.bytes)
        let frame = Y4MHeader.frameLine.count + head.pictureBytes
        let pictures = (source.size - Int64(head.bytes.count)) / Int64(frame)
        for number in 0..<pictures {
            let start = Int64(head.bytes.count) + number * Int64(frame)
            try output.write(Y4MHeader.frameLine)
            try source.copy(from: start + Int64(Y4MHeader.frameLine.count), Int64(head.pictureBytes), to: &output)
        }
        try output.finish()
        let end = Int64(head.bytes.count) + pictures * Int64(frame)
        findings.note(lost: end, source.size - end, .tornEnd)
        findings.tracks = [
            RecoveredTrack(
                kind: .video, name: "", frames: pictures,
                durationNanoseconds: pictures.multipliedReportingOverflow(by: head.frameRate.frameNanoseconds)
                    .partialValue)
        ]
        return output.bytesWritten
    }
}
