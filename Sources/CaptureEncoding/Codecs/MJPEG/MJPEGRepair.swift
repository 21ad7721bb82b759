import CCodecs
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

extension MJPEGRepair {
    /// What is copied of an image, and what is put in.
    struct Plan {
        let start: Int
        let end: Int
        let tablesAt: Int?
        let addsEnd: Bool
        let cuts: Bool
        /// What is kept ends with an EOI that may not be the image's own.
        let isDoubtful: Bool

        /// Whether the image gets what the camera left out.
        var inserts: Bool { tablesAt != nil || addsEnd }
        var changes: Bool { inserts || cuts }
        /// Whether all of the picture is there is seen by decoding it alone.
        var needsProof: Bool { addsEnd || isDoubtful }

        var byteCount: Int {
            end - start + (tablesAt == nil ? 0 : HuffmanTables.standard.count) + (addsEnd ? 2 : 0)
        }

        /// - Returns: the bytes written.
        func write(_ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
            let split = tablesAt ?? start
            var at = Self.put(UnsafeRawBufferPointer(rebasing: bytes[start..<split]), at: 0, in: room)
            if tablesAt != nil { at = HuffmanTables.standard.withUnsafeBytes { Self.put($0, at: at, in: room) } }
            at = Self.put(UnsafeRawBufferPointer(rebasing: bytes[split..<end]), at: at, in: room)
            if addsEnd {
                room[at] = 0xFF
                room[at + 1] = 0xD9
            }
            return byteCount
        }

        /// - Returns: where the next part goes.
        private static func put(
            _ part: UnsafeRawBufferPointer, at offset: Int, in room: UnsafeMutableRawBufferPointer
        ) -> Int {
            let end = offset + part.count
            UnsafeMutableRawBufferPointer(rebasing: room[offset..<end]).copyMemory(from: part)
            return end
        }
    }
}

/// Decodes a JPEG image to see whether all of it is there. One without EOI may lack the marker alone, or half the picture.
///
/// The corresponding C function is `tjDecompressToYUVPlanes`, whose warnings count.
///
/// *session-bound*
final class JPEGValidator {
    private let handle = cc_jpeg_decoder()
    private var room: UnsafeMutablePointer<UInt8>?
    private var capacity = 0

    deinit {
        cc_jpeg_free(handle)
        room?.deallocate()
    }

    /// - Parameter bytes: with tables and EOI.
    /// - Returns: true also for what the decoder has no layout for.
    func isWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let handle, let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
        var layout = cc_jpeg_planes()
        guard cc_jpeg_header(handle, start, bytes.count, &layout) >= 0 else { return false }
        guard layout.subsampling >= 0 else { return true }
        // Whole blocks beyond the right and the lower edge, and a plane of colour is never larger than the light's.
        let stride = Int(layout.width) + 64
        let size = stride * (Int(layout.height) + 64)
        let room = room(for: 3 * size)
        let planes: [UnsafeMutablePointer<UInt8>?] = [room, room + size, room + 2 * size]
        var strides = [Int32](repeating: Int32(stride), count: 3)
        return planes.withUnsafeBufferPointer { planes in
            guard let first = planes.baseAddress else { return true }
            return cc_jpeg_decode(handle, start, bytes.count, first, &strides) >= 0
        }
    }

    private func room(for count: Int) -> UnsafeMutablePointer<UInt8> {
        if let room, capacity >= count { return room }
        room?.deallocate()
        let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
        (room, capacity) = (fresh, count)
        return fresh
    }
}

/// The Huffman tables that MJPEG cameras leave out: ITU-T T.81, K.3, as four DHT segments.
enum HuffmanTables {
    static let standard: [UInt8] = [
        0xFF, 0xC4, 0x00, 0x1F, 0x00, 0x00, 0x01, 0x05, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A,
        0x0B, 0xFF, 0xC4, 0x00, 0xB5, 0x10, 0x00, 0x02, 0x01, 0x03, 0x03, 0x02, 0x04, 0x03, 0x05, 0x05,
        0x04, 0x04, 0x00, 0x00, 0x01, 0x7D, 0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31,
        0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42,
        0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72, 0x82, 0x09, 0x0A, 0x16, 0x17, 0x18,
        0x19, 0x1A, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x43,
        0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0x63,
        0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x83,
        0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A,
        0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8,
        0xB9, 0xBA, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6,
        0xD7, 0xD8, 0xD9, 0xDA, 0xE1, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF1, 0xF2,
        0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA, 0xFF, 0xC4, 0x00, 0x1F, 0x01, 0x00, 0x03, 0x01,
        0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02,
        0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0xFF, 0xC4, 0x00, 0xB5, 0x11, 0x00, 0x02,
        0x01, 0x02, 0x04, 0x04, 0x03, 0x04, 0x07, 0x05, 0x04, 0x04, 0x00, 0x01, 0x02, 0x77, 0x00, 0x01,
        0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22,
        0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33, 0x52, 0xF0, 0x15, 0x62,
        0x72, 0xD1, 0x0A, 0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1, 0x17, 0x18, 0x19, 0x1A, 0x26, 0x27, 0x28,
        0x29, 0x2A, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A,
        0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A,
        0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89,
        0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7,
        0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xC2, 0xC3, 0xC4, 0xC5,
        0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA, 0xE2, 0xE3,
        0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA,
    ]
}
