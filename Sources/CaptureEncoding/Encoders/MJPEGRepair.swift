import CaptureGate

/// Passes a camera's MJPEG through, mended where it must be.
///
/// Huffman tables that are left out are put in, junk around the image is cut off, a missing EOI is added; frames that
/// are no image, half an image, or one of another size, are skipped, and so are those whose tables or headers no decoder
/// would begin with. Both are counted. Without EOI, and with two, an image is decoded to see whether all of it is there.
/// The corresponding standard is ITU-T T.81.
///
/// *session-bound*
public final class MJPEGRepair: PassthroughEncoder {
    public let format: VideoFormat
    public private(set) var counts = EncoderCounts()
    private let proof = JPEGValidator()

    public init(format: VideoFormat) {
        self.format = format
    }

    public var description: CodecDescription {
        CodecDescription(matroskaID: "V_MJPEG", colorimetry: format.colorimetry.asJPEG)
    }

    public func begin() throws(CaptureError) {
        guard format.pixelFormat.isCompressed else {
            throw CaptureError(.usage, "\(format.pixelFormat) is not MJPEG.")
        }
    }

    public func encode(
        _ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        try data.withUnsafeBytes { (bytes) throws(CaptureError) in
            guard let plan = plan(bytes) else {
                counts.skipped += 1
                return
            }
            let before = packets.count
            try packets.append(
                capacity: plan.byteCount, at: nanoseconds, lasting: format.frameRate.frameNanoseconds
            ) { write(plan, bytes, into: $0) }
            if packets.count > before { count(plan) } else { counts.skipped += 1 }
        }
    }

    /// Those that are whole and have their tables; junk around them stays behind.
    func pass(_ data: RawSpan) -> Range<Int>? {
        guard let plan = data.withUnsafeBytes({ plan($0) }), !plan.inserts, !plan.needsProof else { return nil }
        count(plan)
        return plan.start..<plan.end
    }

    public func finish(into packets: inout PacketBuffer) {}

    /// - Returns: the bytes written; 0 where part of the picture is missing.
    private func write(_ plan: Plan, _ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
        let count = plan.write(bytes, into: room)
        return !plan.needsProof || proof.isWhole(UnsafeRawBufferPointer(rebasing: room[..<count])) ? count : 0
    }

    private func canMend(_ image: JPEGImage) -> Bool {
        guard image.hasHuffmanTables || image.isSequential else { return false }
        // Some cameras code whole blocks of 16 rows, such as 1088 for 1080.
        return image.width == format.width && (format.height..<format.height + 16).contains(image.height)
    }

    /// - Returns: `nil` for what is skipped.
    private func plan(_ bytes: UnsafeRawBufferPointer) -> Plan? {
        guard let image = JPEGImage(bytes), canMend(image) else { return nil }
        return Plan(
            start: image.start, end: image.end, tablesAt: image.hasHuffmanTables ? nil : image.firstScan,
            addsEnd: !image.hasEnd, cuts: image.start > 0 || (image.hasEnd && image.end < bytes.count),
            isDoubtful: image.endsAgain(in: bytes))
    }

    private func count(_ plan: Plan) {
        counts.frames += 1
        counts.packets += 1
        counts.bytes += UInt64(plan.byteCount)
        if plan.changes { counts.repaired += 1 }
    }
}
