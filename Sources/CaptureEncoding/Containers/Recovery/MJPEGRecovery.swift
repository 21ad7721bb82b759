import CaptureGate

/// JPEG images one after the other: the whole ones are kept.
enum MJPEGRecovery: Recoverer {
    /// No camera makes larger images, bytes.
    private static let most: Int64 = 64 << 20

    static func recover(
        _ source: RecoverySource, into output: consuming ClipOutput, noting findings: inout RecoveryFindings
    ) throws(CaptureError) -> Int64 {
        var output = output
        var (at, kept, images): (Int64, Int64, Int64) = (0, 0, 0)
        while let start = try source.find([0xFF, 0xD8, 0xFF], from: at, before: source.size) {
            findings.note(lost: at, start - at, .damaged)
            guard let length = try wholeImage(at: start, source) else {
                // The next image begins at the next SOI, if there is one.
                let next = try source.find([0xFF, 0xD8, 0xFF], from: start + 2, before: source.size)
                at = next ?? source.size
                findings.note(lost: start, at - start, next == nil ? .tornEnd : .damaged)
                continue
            }
            try source.copy(from: start, length, to: &output)
            at = start + length
            kept += length
            images += 1
        }
        findings.note(lost: at, source.size - at, .tornEnd)
        guard images > 0 else { throw source.broken("it has no whole picture") }
        try output.finish()
        findings.tracks = [RecoveredTrack(kind: .video, name: "", frames: images, durationNanoseconds: 0)]
        return output.bytesWritten
    }

    /// - Returns: its length; `nil` where its end is missing or something else is in it.
    private static func wholeImage(at start: Int64, _ source: RecoverySource) throws(CaptureError) -> Int64? {
        var count: Int64 = 1 << 18
        while true {
            let bytes = try source.read(at: start, Int(count))
            guard let image = bytes.withUnsafeBytes({ JPEGImage($0) }) else {
                // A segment may go on behind what was read, but no head is larger than this.
                guard count < 1 << 20, Int64(bytes.count) == count else { return nil }
                count *= 4
                continue
            }
            if image.hasEnd { return Int64(image.end) }
            guard count < most, Int64(bytes.count) == count else { return nil }
            count *= 4
        }
    }
}
