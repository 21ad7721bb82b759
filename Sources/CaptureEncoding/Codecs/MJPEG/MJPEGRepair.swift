import CCodecs
import CaptureBase

/// Passthrough of a camera's MJPEG (ITU-T T.81) that repairs images if necessary.
///
/// Inserts missing Huffman tables, adds a missing EOI, and cuts off junk around the image. Skips frames that are not an image,
/// only half an image, or an image of another size, or one whose tables or headers no decoder would accept. Repairs and skips are
/// counted. An image without EOI, or with two, is decoded once to check that no data is missing.
///
/// *session-bound*
public final class MJPEGRepair: PassthroughEncoder {
    /// Format of the camera's images.
    public let format: VideoFormat
    public private(set) var counts = EncoderCounts()
    /// Decodes doubtful images; used for few frames, if any.
    private let proof = JPEGValidator()

    /// Makes an encoder of a camera's own images.
    /// - Parameter format: MJPG or JPEG; images of another size are skipped.
    public init(format: VideoFormat) {
        self.format = format
    }

    /// JFIF's colorimetry, which readers assume for every JPEG.
    public var description: CodecDescription {
        CodecDescription(matroskaID: "V_MJPEG", colorimetry: format.colorimetry.asJPEG)
    }

    /// - Throws: `.usage` for raw formats.
    public func begin() throws(CaptureError) {
        guard format.pixelFormat.isJPEG else {
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

    /// Passes images that are complete and have their tables; removes junk around them.
    package func pass(_ data: RawSpan) -> Range<Int>? {
        guard let plan = data.withUnsafeBytes({ plan($0) }), !plan.inserts, !plan.needsProof else { return nil }
        count(plan)
        return plan.start..<plan.end
    }

    /// Decodes an image, with the parts that the camera omits, and keeps nothing.
    ///
    /// - Returns: false if no decoder would produce a complete image of the format's size.
    package func decodes(_ data: RawSpan) -> Bool {
        data.withUnsafeBytes { bytes in
            guard let plan = plan(bytes) else { return false }
            return withUnsafeTemporaryAllocation(byteCount: plan.byteCount, alignment: 1) { room in
                proof.isWhole(UnsafeRawBufferPointer(rebasing: room[..<plan.write(bytes, into: room)]))
            }
        }
    }

    /// Checks only the markers of an image.
    ///
    /// - Returns: false for a frame that is not an image, or one that must be decoded to check that it is complete.
    package func seemsWhole(_ data: RawSpan) -> Bool {
        data.withUnsafeBytes { plan($0).map { !$0.needsProof } ?? false }
    }

    /// Every image is complete when it is stored.
    public func finish(into packets: inout PacketBuffer) {}

    /// Writes the repaired image, and decodes it if its end is in doubt.
    /// - Returns: the bytes written; 0 if data is missing, which appends no packet.
    private func write(_ plan: Plan, _ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
        let count = plan.write(bytes, into: room)
        return !plan.needsProof || proof.isWhole(UnsafeRawBufferPointer(rebasing: room[..<count])) ? count : 0
    }

    /// Checks that the image has the negotiated size, and that missing tables can be inserted: the
    /// standard ones suit sequential images alone.
    private func canMend(_ image: JPEGImage) -> Bool {
        guard image.hasHuffmanTables || image.isSequential else { return false }
        // Some cameras code whole blocks of 16 rows, such as 1088 for 1080.
        return image.width == format.width && (format.height..<format.height + 16).contains(image.height)
    }

    /// Plans the repair of one buffer.
    /// - Returns: `nil` for a frame that is skipped.
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
    /// Edit of one image: the bytes to keep and those to insert.
    struct Plan {
        /// Offsets of the image in the camera's buffer.
        package let start: Int
        package let end: Int
        /// Offset at which Huffman tables are inserted; `nil` if the image has its own.
        let tablesAt: Int?
        /// Appends EOI.
        let addsEnd: Bool
        /// Bytes around the image are removed.
        let cuts: Bool
        /// A second EOI follows the image's, so that the first may be damaged data.
        let isDoubtful: Bool

        /// The image gets the parts that the camera omits, so it can't be stored from the camera's buffer.
        var inserts: Bool { tablesAt != nil || addsEnd }
        /// The image counts as repaired.
        var changes: Bool { inserts || cuts }
        /// Only decoding can show that no data is missing.
        var needsProof: Bool { addsEnd || isDoubtful }

        /// Size of the repaired image.
        package var byteCount: Int {
            end - start + (tablesAt == nil ? 0 : HuffmanTables.standard.count) + (addsEnd ? 2 : 0)
        }

        /// Writes the repaired image.
        /// - Parameters:
        ///   - bytes: the camera's buffer.
        ///   - room: `byteCount` bytes.
        /// - Returns: the bytes written.
        package func write(_ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
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

        /// Copies a range of the image.
        /// - Returns: the offset after it.
        private static func put(
            _ part: UnsafeRawBufferPointer, at offset: Int, in room: UnsafeMutableRawBufferPointer
        ) -> Int {
            let end = offset + part.count
            UnsafeMutableRawBufferPointer(rebasing: room[offset..<end]).copyMemory(from: part)
            return end
        }
    }
}

/// Decoder that distinguishes a complete JPEG image from one that is cut short.
///
/// An image without EOI may lack only the marker, or half the image; its markers do not show which. The corresponding C function
/// is `tjDecompressToYUVPlanes`, whose warnings count as damage.
///
/// *session-bound*
final class JPEGValidator {
    private let handle = cc_jpeg_decoder()
    /// Planes of the decoded image, which are not used; kept from image to image.
    private var room: UnsafeMutablePointer<UInt8>?
    private var capacity = 0

    deinit {
        cc_jpeg_free(handle)
        room?.deallocate()
    }

    /// Decodes an image and discards the result.
    /// - Parameter bytes: an image with tables and EOI.
    /// - Returns: false if data is missing; true also for a sampling that libturbojpeg has no
    ///   planes for, which can't be judged.
    func isWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let handle, let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
        var layout = cc_jpeg_planes()
        guard cc_jpeg_header(handle, start, bytes.count, &layout) >= 0 else { return false }
        guard layout.subsampling >= 0 else { return true }
        // libturbojpeg writes whole blocks beyond the right and the lower edge; a chroma plane is never larger than the
        // luma plane.
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

    /// Grows the buffer; images of a stream are of one size, so this allocates once.
    private func room(for count: Int) -> UnsafeMutablePointer<UInt8> {
        if let room, capacity >= count { return room }
        room?.deallocate()
        let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
        (room, capacity) = (fresh, count)
        return fresh
    }
}

/// Decoder of a camera's JPEG images to pixels, also reduced to an eighth.
///
/// A pixel of a reduced image is the mean of 8 x 8, which the code contains directly: nothing is transformed. The whole code is
/// read in either case, so that damage is found. The corresponding C function is `tjDecompress2`.
///
/// *session-bound*
package final class JPEGPixels {
    /// Bytes of a pixel.
    package enum Layout: Sendable {
        case rgb, grey, bgra, rgba

        package var byteCount: Int {
            switch self {
            case .grey: 1
            case .rgb: 3
            case .bgra, .rgba: 4
            }
        }

        fileprivate var code: cc_jpeg_pixels {
            switch self {
            case .rgb: CC_JPEG_TO_RGB
            case .grey: CC_JPEG_TO_GREY
            case .bgra: CC_JPEG_TO_BGRA
            case .rgba: CC_JPEG_TO_RGBA
            }
        }
    }

    private let format: VideoFormat
    private let layout: Layout
    private let repair: MJPEGRepair
    private let decoder = cc_jpeg_decoder()
    private var mended = PacketBuffer()
    private var pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 0)

    /// - Parameters:
    ///   - format: MJPG or JPEG; images of another size can't be read.
    ///   - layout: of the pixels.
    package init(_ format: VideoFormat, as layout: Layout = .grey) {
        self.format = format
        self.layout = layout
        repair = MJPEGRepair(format: format)
    }

    deinit {
        cc_jpeg_free(decoder)
        pixels.deallocate()
    }

    /// Checks only the markers; see ``MJPEGRepair/seemsWhole(_:)``.
    package func seemsWhole(_ frame: RawSpan) -> Bool { repair.seemsWhole(frame) }

    /// Decodes an image, repaired if the camera omitted parts.
    ///
    /// - Parameters:
    ///   - frame: one driver buffer.
    ///   - divisor: 1 or 8, by which width and height are divided, rounded up.
    ///   - body: gets the pixels row by row without gaps, the pixels per row and the number of rows.
    /// - Returns: `nil` for a frame that can't be decoded completely; libjpeg's warnings count, as they mean lost data.
    package func read<Result>(
        _ frame: RawSpan, reducedBy divisor: Int, _ body: (Span<UInt8>, Int, Int) -> Result
    ) -> Result? {
        guard let pixels = decode(frame, reducedBy: divisor) else { return nil }
        return body(pixels.span, reduced(format.width, divisor), reduced(format.height, divisor))
    }

    /// The same, with the pixels in memory that is good until the next call.
    package func decode(_ frame: RawSpan, reducedBy divisor: Int = 1) -> UnsafeBufferPointer<UInt8>? {
        if let place = repair.pass(frame) {
            return frame.extracting(place).withUnsafeBytes { decode(image: $0, divisor) }
        }
        mended.removeAll()
        guard (try? repair.encode(frame, at: 0, into: &mended)) != nil, mended.count > 0 else { return nil }
        return mended.withBytes(of: 0) { decode(image: $0, divisor) }
    }

    private func decode(image: UnsafeRawBufferPointer, _ divisor: Int) -> UnsafeBufferPointer<UInt8>? {
        var header = cc_jpeg_planes()
        guard let decoder, let bytes = image.baseAddress?.assumingMemoryBound(to: UInt8.self),
            cc_jpeg_header(decoder, bytes, image.count, &header) >= 0, Int(header.width) == format.width,
            // Some cameras code whole blocks of 16 rows, such as 1088 for 1080.
            (format.height..<format.height + 16).contains(Int(header.height))
        else { return nil }
        let (width, height) = (reduced(format.width, divisor), reduced(format.height, divisor))
        let rows = reduced(Int(header.height), divisor)
        let rowBytes = width * layout.byteCount
        makeRoom(for: rowBytes * rows)
        let result = cc_jpeg_decode_pixels(
            decoder, bytes, image.count, pixels.baseAddress, Int32(width), Int32(rowBytes), Int32(rows), layout.code)
        return result >= 0 ? UnsafeBufferPointer(rebasing: pixels[..<(rowBytes * height)]) : nil
    }

    private func reduced(_ length: Int, _ divisor: Int) -> Int { (length + divisor - 1) / divisor }

    private func makeRoom(for count: Int) {
        guard pixels.count < count else { return }
        pixels.deallocate()
        pixels = .allocate(capacity: count)
        pixels.initialize(repeating: 0)
    }
}

/// Huffman tables that MJPEG cameras omit: those of ITU-T T.81, K.3.
///
/// Cameras omit DHT as AVI's MJPG does; not every decoder knows the tables without it.
enum HuffmanTables {
    /// Four DHT segments: DC and AC of luma (tables 0), DC and AC of chroma (tables 1).
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

/// Decoder of JPEG images to their own planes, without a detour through RGB.
///
/// *session-bound*
final class JPEGPlaneDecoder {
    private let handle = cc_jpeg_decoder()

    deinit { cc_jpeg_free(handle) }

    /// Size and sampling of an image; `nil` for one that can't be read, or is of a sampling that cameras do not make.
    func readHeader(_ image: UnsafeRawBufferPointer) -> (width: Int, height: Int, sampling: ChromaSampling)? {
        var header = cc_jpeg_planes()
        guard let handle, let start = image.baseAddress?.assumingMemoryBound(to: UInt8.self),
            cc_jpeg_header(handle, start, image.count, &header) >= 0
        else { return nil }
        let size = (Int(header.width), Int(header.height))
        switch Int(header.subsampling) {
        case CC_JPEG_444: return (size.0, size.1, .yuv444)
        case CC_JPEG_422: return (size.0, size.1, .yuv422)
        case CC_JPEG_420: return (size.0, size.1, .yuv420)
        case CC_JPEG_GREY: return (size.0, size.1, .grey)
        default: return nil
        }
    }

    /// Decodes an image into planes, one after another.
    /// - Parameters:
    ///   - image: complete.
    ///   - target: `geometry.byteCount` bytes.
    ///   - geometry: the image's own, with an even width and height.
    /// - Returns: false for damaged data.
    func decode(_ image: UnsafeRawBufferPointer, into target: Rows.Target, _ geometry: PlanarGeometry) -> Bool {
        guard let handle, let start = image.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        let chroma = target + geometry.lumaBytes
        var planes = cc_jpeg_planes()
        planes.plane = (UnsafePointer(target), UnsafePointer(chroma), UnsafePointer(chroma + geometry.chromaBytes))
        planes.stride = (Int32(geometry.width), Int32(geometry.chromaWidth), Int32(geometry.chromaWidth))
        return cc_jpeg_decode_planes(handle, start, image.count, &planes) >= 0
    }
}
