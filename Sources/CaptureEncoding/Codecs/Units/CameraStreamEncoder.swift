import CaptureBase

/// Passthrough of a camera's own H.264 or H.265: nothing is decoded or encoded again.
///
/// Units between start codes become units after lengths of four bytes, as `avcC` and `hvcC` announce (ISO/IEC 14496-15). The
/// stream begins at the first key frame that has its parameter sets, which are then in ``CodecDescription/privateBytes``. Earlier
/// frames are skipped and counted, and so are invalid frames. A later, different set stays in its place.
///
/// After a lost frame the stream continues: decoders conceal the damage up to the next key frame. Times are those of the frames: a
/// stream whose frames come in another order than they are shown (B-frames) is refused at the third of them.
///
/// *session-bound*
public final class CameraStreamEncoder: TrackEncoder {
    /// Format of the camera's frames.
    public let format: VideoFormat
    public private(set) var description: CodecDescription
    public private(set) var counts = EncoderCounts()

    /// `nil` for any other format.
    private let codec: UnitCodec?
    private var sets: ParameterSets
    private var order = PictureOrder()

    /// Makes an encoder of a camera's own stream; `begin` checks the format.
    /// - Parameter format: H264 or HEVC.
    public init(format: VideoFormat) {
        self.format = format
        codec = UnitCodec(format.pixelFormat)
        sets = ParameterSets(codec ?? .avc)
        // Matrix and range are in the stream, which knows them better than the driver.
        description = CodecDescription(matroskaID: (codec ?? .avc).matroskaID)
    }

    /// - Throws: `.usage` for other formats.
    public func begin() throws(CaptureError) {
        guard codec != nil else { throw CaptureError(.usage, "\(format.pixelFormat) is neither H.264 nor H.265.") }
    }

    /// True once the first key frame came.
    public var isDescribed: Bool { !description.privateBytes.isEmpty }

    /// - Throws: `.unavailable` for a stream with B-frames.
    public func encode(
        _ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        guard let codec else { return }
        try data.withUnsafeBytes { (bytes) throws(CaptureError) in
            let picture = AccessUnit(bytes, codec)
            if picture.isHeader {
                if !isDescribed { _ = sets.take(from: bytes) }
                return
            }
            guard !picture.isBroken, isDescribed || begins(picture, bytes) else {
                counts.skipped += 1
                return
            }
            guard order.note(picture, bytes, codec) else { throw unordered }
            let before = packets.count
            // Each length takes the place of a start code, which may be a byte shorter.
            try packets.append(
                capacity: bytes.count + picture.units, at: nanoseconds, lasting: format.frameRate.frameNanoseconds,
                isKey: picture.isKey
            ) { write(bytes, codec, into: $0) }
            guard packets.count > before else { return }
            counts.frames += 1
            counts.packets += 1
            counts.bytes += UInt64(packets.byteCount(of: before))
        }
    }

    /// Every frame is complete when it is stored.
    public func finish(into packets: inout PacketBuffer) {}

    /// Takes the sets of a frame ahead of the stream's first.
    /// - Returns: true if the stream can begin with it.
    private func begins(_ picture: AccessUnit, _ bytes: UnsafeRawBufferPointer) -> Bool {
        if picture.hasSets { _ = sets.take(from: bytes) }
        guard picture.isKey, sets.fits(format), let record = sets.record else { return false }
        description.privateBytes = record
        order = PictureOrder(sets)
        return true
    }

    /// Writes the units of a frame after their lengths, without the sets in the record.
    /// - Returns: bytes written.
    private func write(
        _ bytes: UnsafeRawBufferPointer, _ codec: UnitCodec, into target: UnsafeMutableRawBufferPointer
    ) -> Int {
        guard let source = bytes.baseAddress, let start = target.baseAddress else { return 0 }
        var scanner = UnitScanner(bytes)
        var at = 0
        while let unit = scanner.unit() {
            let length = unit.end - unit.start
            guard at + 4 + length <= target.count else { return 0 }
            let isSet = codec.set(codec.type(bytes[unit.start])) != nil
            if isSet, sets.has(bytes, unit.start, unit.end) { continue }
            // Slices that go by another set may count otherwise.
            if isSet { order = PictureOrder() }
            for byte in 0..<4 { target[at + byte] = UInt8(truncatingIfNeeded: length >> (24 - 8 * byte)) }
            (start + at + 4).copyMemory(from: source + unit.start, byteCount: length)
            at += 4 + length
        }
        return at
    }

    private var unordered: CaptureError {
        CaptureError(
            .unavailable,
            "The camera's \(format.pixelFormat.streamTitle) stream has B-frames, which are not supported.",
            remedies: [Remedy("Disable B-frames in the camera, or choose --pixel-format MJPG or YUYV.")])
    }
}

extension ParameterSets {
    /// True for a stream of the size that the driver reported: of the whole coded frame, or of its cropped part.
    func fits(_ format: VideoFormat) -> Bool {
        guard let sequence else { return false }
        return sequence.width <= format.width && format.width <= sequence.codedWidth
            && sequence.height <= format.height && format.height <= sequence.codedHeight
    }
}

/// Start of a camera's own stream, for a recorder that decides where a clip begins and where it is cut.
///
/// It keeps the parameter sets of the stream so far, and puts them before a key frame without sets, so that any file can begin
/// with any key frame.
///
/// *session-bound*
package final class CameraStream {
    /// Frame of the stream, for code that may begin with it.
    package enum Frame: Hashable {
        /// Decoding can start here, with the sets that are known.
        case key
        /// It needs frames before it.
        case dependent
        /// Not a frame.
        case broken
        /// Not a frame either, but data that decoders need for the next one.
        case header
    }

    private let format: VideoFormat
    private let codec: UnitCodec
    private var sets: ParameterSets
    /// Key frame with the sets ahead of it.
    private var joined: [UInt8] = []
    /// The latest frame is a key frame without its own sets.
    private var lacksSets = false
    /// The sets are complete and fit the format.
    private var isUsable = false

    /// - Returns: `nil` for frames that need no others.
    package init?(_ format: VideoFormat) {
        guard let codec = UnitCodec(format.pixelFormat) else { return nil }
        self.format = format
        self.codec = codec
        sets = ParameterSets(codec)
    }

    /// Examines a frame, in the order of the capture.
    package func look(at data: RawSpan) -> Frame {
        data.withUnsafeBytes { bytes in
            let picture = AccessUnit(bytes, codec)
            lacksSets = false
            guard !picture.isBroken else { return .broken }
            if picture.hasSets, sets.take(from: bytes) { isUsable = sets.isComplete && sets.fits(format) }
            if picture.isHeader { return .header }
            guard picture.isKey, isUsable else { return .dependent }
            lacksSets = !picture.hasSets
            return .key
        }
    }

    /// Lends the frame that was looked at last, with the parameter sets ahead of it if it is a key frame and lacks them.
    package func withFrame<Value>(
        _ data: RawSpan, _ body: (RawSpan) throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value {
        guard lacksSets else { return try body(data) }
        joined.removeAll(keepingCapacity: true)
        joined += sets.stream
        data.withUnsafeBytes { joined.append(contentsOf: $0) }
        let whole = joined
        return try body(whole.span.bytes)
    }
}

extension VideoFormat {
    /// True for a frame of the camera's own stream at which decoding can start.
    package func isKeyFrame(_ data: RawSpan) -> Bool {
        guard let codec = UnitCodec(pixelFormat) else { return true }
        return data.withUnsafeBytes { bytes in
            let picture = AccessUnit(bytes, codec)
            return picture.isKey && !picture.isBroken
        }
    }
}
