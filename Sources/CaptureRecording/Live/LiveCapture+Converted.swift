import CaptureEncoding
import CaptureGate

extension LiveCapture {
    /// Lends each period of a microphone as samples of a type, converted if the microphone has others. Clips are not affected.
    ///
    ///     let watch = try capture.watch(microphone, samples: Float.self) { header, samples in … }
    ///
    /// Integers are rounded to the nearest and limited to full scale. Memory for the conversion is allocated with the first
    /// period.
    ///
    /// - Parameters:
    ///   - device: microphone of the permit.
    ///   - type: `Int16`, `Int32`, or `Float` with full scale at ±1.
    ///   - body: gets the header, and the samples of all channels interleaved: `header.frameCount` times the channels. They are
    ///     valid only during the call, which must be as fast as in ``watch(_:_:)``.
    /// - Returns: the watch, which ends when it is released.
    /// - Throws: `.usage` for a device that is not of this capture, and for a camera.
    public func watch<Sample: AudioSample>(
        _ device: DeviceID, samples type: Sample.Type, _ body: @escaping @Sendable (FrameHeader, Span<Sample>) -> Void
    ) throws(CaptureError) -> FrameWatch {
        guard let format = try track(of: device).audio else {
            throw CaptureError(
                .usage, "\(device) is a camera, which has no audio.",
                remedies: [Remedy("Use a microphone, or read the camera's frames.")])
        }
        return try watch(device, by: format.converter(to: Sample.sampleFormat)) { header, bytes in
            bytes.withUnsafeBytes { body(header, $0.assumingMemoryBound(to: Sample.self).span) }
        }
    }

    /// Lends each frame of a camera as pixels of one layout, for any camera format. The clip's frames are not affected.
    ///
    /// They are converted on the thread that reads the devices, by `PictureConverter`. If frames are large, or only some are used,
    /// ``frames(of:converting:keeping:)`` converts them elsewhere.
    ///
    /// - Parameters:
    ///   - device: camera of the permit.
    ///   - format: `.bgra32` or `.rgba32` with an opaque alpha, `.rgb24`, or `.grey`.
    ///   - body: gets the header and `header.byteCount` bytes, valid only during the call: rows without padding, in the size in
    ///     ``tracks``. A broken frame has no bytes. The call must be as fast as in ``watch(_:_:)``.
    /// - Returns: the watch, which ends when it is released.
    /// - Throws: `.usage` for another format, for a camera whose frames `PictureConverter` does not support, for a microphone, and
    ///   for a device that is not of this capture.
    public func watch(
        _ device: DeviceID, converting format: PixelFormat, _ body: @escaping @Sendable (FrameHeader, RawSpan) -> Void
    ) throws(CaptureError) -> FrameWatch {
        try watch(device, by: converter(of: device, to: format), body)
    }

    /// Copies of the frames of a camera as pixels of one layout, from now on, each converted by the task that takes it.
    ///
    /// - Parameters:
    ///   - device: camera of the permit.
    ///   - format: `.bgra32` or `.rgba32` with an opaque alpha, `.rgb24`, or `.grey`: rows without padding, of the size in
    ///     ``tracks``. A frame that is broken has no bytes.
    ///   - count: frames that wait for a slow reader, at least 1, as in ``frames(of:keeping:)``.
    /// - Throws: as ``watch(_:converting:_:)``.
    public func frames(
        of device: DeviceID, converting format: PixelFormat, keeping count: Int = 4
    ) throws(CaptureError) -> LiveFrames {
        let converter = try converter(of: device, to: format)
        return try frames(of: device, keeping: count).converted(by: converter)
    }

    /// - Returns: `nil` if frames are such pixels already.
    private func converter(of device: DeviceID, to format: PixelFormat) throws(CaptureError) -> PictureConverter? {
        guard let own = try track(of: device).video else {
            throw CaptureError(
                .usage, "\(device) is a microphone, which has no video.", remedies: [Remedy("Use a camera.")])
        }
        return try own.converter(to: format)
    }

    private func watch(
        _ device: DeviceID, by conversion: (any FrameConversion)?,
        _ body: @escaping @Sendable (FrameHeader, RawSpan) -> Void
    ) throws(CaptureError) -> FrameWatch {
        guard let conversion else { return try watch(device, body) }
        return try watch(device) { header, bytes in
            let (header, converted) = conversion.converted(header, bytes)
            body(header, converted.bytes)
        }
    }
}

/// Conversion of copies by the code that reads them.
///
/// *thread-safe*
final class CopyConversion: Sendable {
    /// Locked, as nothing keeps two tasks from taking frames of one sequence.
    private let converter: Locked<PictureConverter>

    init(_ converter: PictureConverter) { self.converter = Locked(converter) }

    func convert(_ frame: CapturedFrame) -> CapturedFrame {
        converter.withLock { converter in
            let (header, bytes) = converter.converted(frame.header, frame.bytes.span.bytes)
            return CapturedFrame(header, bytes.bytes)
        }
    }
}
