import CaptureGate
import CaptureRecording

/// Faulty frames of a capture: how many can't be read, and copies of a few that the report shows.
///
/// *session-bound*
struct PictureFaults: Sendable {
    private struct Frame {
        let header: FrameHeader
        let fault: Fault
        let bytes: [UInt8]
    }

    /// Meaning of a picture in the report.
    enum Fault: String {
        case unreadable = "It is cut short, or can't be decoded."
        case black = "It is black."
        case frozen = "It repeats the one before."
        case otherChecksum = "Its checksum is none of the golden file's."
        case unlike = "It is not like the golden picture."
        case uncovered = "The shutter is closed, and it shows something."
    }

    /// Most frames that are kept, in all and of one kind: a capture may have thousands of them.
    private static let (most, mostOfKind) = (6, 3)
    private var frames: [Frame] = []
    /// Number of frames that are too short, or can't be decoded.
    private(set) var unreadable = 0

    /// Notes a faulty frame.
    mutating func add(_ fault: Fault, _ header: FrameHeader, _ bytes: RawSpan) {
        if fault == .unreadable { unreadable += 1 }
        // One picture of a frame is enough, whatever is wrong with it.
        guard frames.last?.header.sequence != header.sequence, frames.count < Self.most,
            frames.count(where: { $0.fault == fault }) < Self.mostOfKind
        else { return }
        frames.append(Frame(header: header, fault: fault, bytes: bytes.withUnsafeBytes { Array($0) }))
    }

    /// Measure `unreadable` (frames).
    var measure: Measure { Measure("unreadable", Double(unreadable), "frames", .lower) }

    /// Ends a check whose capture has nothing to look at.
    ///
    /// - Throws: the record's own error, or one that is the device's fault: without a frame that can be read, no number is.
    func check(_ record: StreamRecord) throws(CaptureError) {
        try record.check()
        guard !record.headers.isEmpty else {
            throw CaptureError(.stalled, "\(record.device.id) delivered no frame.")
        }
        guard unreadable < record.headers.count else {
            throw CaptureError(.notAsAsked, "None of the \(unreadable) frames of \(record.device.id) can be decoded.")
        }
    }

    /// Keeps the frames beside the report: as PNG, a camera's JPEG as it is, and one that is no picture by its bytes.
    func evidence(_ context: CheckContext, _ record: StreamRecord) -> [Evidence] {
        guard context.evidence.directory != nil, case .video(let format) = record.media else { return [] }
        let still: StillFormat = format.pixelFormat.isCompressed ? .jpeg : .png
        // Fast: six frames of 4K must not keep the bench waiting.
        let encoder = try? StillEncoder(format, as: still, parameters: StillParameters(pngLevel: 1))
        let begun = record.headers.first?.timestamp ?? 0
        return frames.compactMap { frame in
            let picture = frame.fault == .unreadable ? nil : try? encoder?.encode(frame.bytes.span.bytes)
            let (number, time) = (frame.header.sequence, (frame.header.timestamp - begun) / 1_000_000)
            let ending = picture == nil ? "bin" : still.endings[0]
            return context.evidence.keep(
                picture ?? frame.bytes, as: "\(context.planned.name)-\(number).\(ending)",
                "Frame \(number), \(time) ms after the first one. \(frame.fault.rawValue)")
        }
    }
}
