import CaptureGate

/// Passes a camera's MJPEG through, mended where it must be.
///
/// Huffman tables that are left out are put in, junk around the image is cut off, a missing EOI is added; frames that
/// are no image, or one of another size, are skipped. Both are counted.
/// The corresponding standard is ITU-T T.81.
///
/// *session-bound*
public final class MJPEGRepair: Encoder {
    public let format: VideoFormat
    public private(set) var counts = EncoderCounts()

    public init(format: VideoFormat) {
        self.format = format
    }

    public var description: CodecDescription { CodecDescription(matroskaID: "V_MJPEG") }

    public func begin() throws(CaptureError) {
        guard format.pixelFormat.isCompressed else {
            throw CaptureError(.usage, "\(format.pixelFormat) is not MJPEG.")
        }
    }

    public func encode(
        _ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        try data.withUnsafeBytes { (bytes) throws(CaptureError) in
            guard let image = JPEGImage(bytes), canMend(image) else {
                counts.skipped += 1
                return
            }
            let plan = plan(image, of: bytes.count)
            try packets.append(
                capacity: plan.byteCount, at: nanoseconds, lasting: format.frameRate.frameNanoseconds
            ) { plan.write(bytes, into: $0) }
            count(plan)
        }
    }

    public func finish(into packets: inout PacketBuffer) {}

    private func canMend(_ image: JPEGImage) -> Bool {
        guard image.hasHuffmanTables || image.isSequential else { return false }
        // Some cameras code whole blocks of 16 rows, such as 1088 for 1080.
        return image.width == format.width && (format.height..<format.height + 16).contains(image.height)
    }

    private func plan(_ image: JPEGImage, of count: Int) -> Plan {
        Plan(
            start: image.start, end: image.end, tablesAt: image.hasHuffmanTables ? nil : image.firstScan,
            addsEnd: !image.hasEnd, cuts: image.start > 0 || (image.hasEnd && image.end < count))
    }

    private func count(_ plan: Plan) {
        counts.frames += 1
        counts.packets += 1
        counts.bytes += UInt64(plan.byteCount)
        if plan.changes { counts.repaired += 1 }
    }
}
