import CaptureBase
import CaptureRealtime
import LinuxSystem

/// Adapter that makes whole frames of separate planes and fields, and converts formats that few programs know; works on
/// the reader's thread.
///
/// Its buffer for a whole frame is allocated once.
///
/// *session-bound*
// Unchecked: its session owns its memory, and one thread at a time reads a session.
final class FrameAdapter: @unchecked Sendable {
    /// Format of whole frames, before conversion.
    let source: VideoFormat
    let fields: FieldArrangement
    /// Colour planes in each plane of memory.
    private let planes: [[ColourPlane]]
    /// Buffer for one whole frame; empty if the driver's buffer has it already.
    private let gathered: UnsafeMutableRawBufferPointer
    private let converter: FrameConverter?
    /// Pairing of fields; `nil` unless they arrive in separate buffers.
    private var pairs: FieldPairer?
    /// True if all fields of the present frame had all their bytes.
    private var isWhole = true

    /// Makes an adapter without a conversion.
    ///
    /// - Parameters:
    ///   - format: format of whole frames.
    ///   - fields: arrangement of fields in the buffers.
    /// - Returns: `nil` if the driver's own buffer will do.
    convenience init?(gathering format: VideoFormat, _ fields: FieldArrangement = .whole) {
        guard format.planeBytesPerLine.count > 1 || fields != .whole else { return nil }
        self.init(format, nil, fields)
    }

    /// Makes an adapter with a conversion, with gathering, or with both.
    init(_ source: VideoFormat, _ converter: FrameConverter?, _ fields: FieldArrangement = .whole) {
        self.source = source
        self.converter = converter
        self.fields = fields
        planes = source.colourPlanes
        let copies = planes.count > 1 || fields != .whole
        let total = planes.joined().map { $0.target + $0.rows * $0.stride }.max() ?? 0
        gathered = .allocate(byteCount: copies ? total : 0, alignment: 64)
        gathered.initializeMemory(as: UInt8.self, repeating: 0)
        beginAgain()
    }

    deinit { gathered.deallocate() }

    /// Discards a waiting field: after a return the device numbers its fields from the start.
    func beginAgain() {
        if case .alternating(let order) = fields { pairs = FieldPairer(order) }
    }

    /// Number of frames that a number of buffers completes.
    func whole(_ buffers: Int) -> Int {
        guard let pairs else { return buffers }
        return (buffers + (pairs.isWaiting ? 1 : 0)) / 2
    }

    /// Hands the frame on that a buffer completes.
    ///
    /// - Returns: result of `body`; `nil` if the buffer completes no frame.
    func adapt<Value, Failure: Error>(
        _ header: FrameHeader, _ first: RawSpan, _ second: RawSpan, _ third: RawSpan,
        _ body: (FrameHeader, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        guard gathered.count > 0 else { return try convert(header, first, body) }
        guard pairs != nil else {
            isWhole = gather(first, second, third)
            return try hand(header, body)
        }
        guard let picture = pair(header, first, second, third) else { return nil }
        return try hand(picture, body)
    }

    /// Gathers a field.
    ///
    /// - Returns: header of the frame that has both its fields now; `nil` otherwise.
    private func pair(_ header: FrameHeader, _ first: RawSpan, _ second: RawSpan, _ third: RawSpan) -> FrameHeader? {
        let isBottom = header.flags.contains(.bottomField)
        switch pairs?.take(header) {
        case .begins:
            isWhole = gather(first, second, third, isBottom: isBottom)
            return nil
        case .completes(let picture):
            isWhole = gather(first, second, third, isBottom: isBottom) && isWhole
            return picture
        case .stray, nil: return nil
        }
    }

    /// Hands the gathered frame on; without bytes where a plane was incomplete.
    private func hand<Value, Failure: Error>(
        _ header: FrameHeader, _ body: (FrameHeader, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard isWhole else { return try hand(header, UnsafeRawBufferPointer(start: nil, count: 0), body) }
        return try convert(header, gathered.bytes, body)
    }

    /// Converts the frame where needed, and hands it on.
    private func convert<Value, Failure: Error>(
        _ header: FrameHeader, _ picture: RawSpan, _ body: (FrameHeader, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let converter else { return try hand(header, UnsafeRawBufferPointer(gathered), body) }
        return try hand(header, converter.convert(picture), body)
    }

    /// Hands bytes on with their number in the header.
    private func hand<Value, Failure: Error>(
        _ header: FrameHeader, _ picture: UnsafeRawBufferPointer,
        _ body: (FrameHeader, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var header = header
        header.byteCount = picture.count
        return try body(header, picture.bytes)
    }

    /// Copies all planes of memory into the whole frame.
    ///
    /// - Returns: false if one of them is too short.
    private func gather(_ first: RawSpan, _ second: RawSpan, _ third: RawSpan, isBottom: Bool = false) -> Bool {
        guard gather(first, 0, isBottom) else { return false }
        guard planes.count < 2 || gather(second, 1, isBottom) else { return false }
        return planes.count < 3 || gather(third, 2, isBottom)
    }

    /// Copies one plane of memory, after checking that all its rows are there.
    private func gather(_ span: RawSpan, _ index: Int, _ isBottom: Bool) -> Bool {
        let ends = planes[index].map { $0.end(ofField: fields.isAlternating) }
        guard span.byteCount >= ends.max() ?? 0, let picture = gathered.baseAddress else { return false }
        span.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            for plane in planes[index] { plane.weave(source, into: picture, fields, isBottom: isBottom) }
        }
        return true
    }
}

extension CaptureSession where Format == VideoFormat {
    /// Starts to convert frames of a rare format, on the reader's thread: to R, G and B, or to eight bits of the Y, Cb and Cr that
    /// they contain.
    ///
    /// Afterwards ``format`` and ``differences`` show it. Call it before ``start()``. Formats that are not unpacked here are
    /// converted by `v4lconvert_convert`.
    ///
    /// - Returns: false for a format that nobody knows; nothing has changed then.
    /// - Throws: `.unavailable` if there is too little memory for it.
    public mutating func convertFrames() throws(CaptureError) -> Bool {
        guard FrameConverter.converts(format) else { return false }
        guard let converter = FrameConverter(format) else {
            throw DeviceFault(device: device).error("v4lconvert_create_with_dev_ops", Errno.noMemory.number)
        }
        pictures = FrameAdapter(format, converter, pictures?.fields ?? .whole)
        differences.append(.conversion(from: format.pixelFormat, to: converter.target.pixelFormat))
        format = converter.target
        return true
    }
}
