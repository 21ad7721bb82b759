import CaptureEncoding
import CaptureGate

extension CaptureSession where Format == VideoFormat {
    /// Opens the camera of the permit, and converts its frames from any format to pixels of one layout.
    ///
    /// `format` is then that of the pixels, in rows without padding; a broken frame has no bytes. The conversion is done on the
    /// reader's thread, by `PictureConverter`.
    ///
    /// - Parameters:
    ///   - permit: permit for one camera, at the level `.video`; used up.
    ///   - settings: requested settings; `differences` shows those that were not met, and the source of the conversion.
    ///   - format: `.bgra32` or `.rgba32` with an opaque alpha, `.rgb24`, or `.grey`.
    /// - Throws: as `init(opening:settings:)`; `.usage` for another format, and for a camera whose frames can't be converted:
    ///   choose another of its pixel formats.
    public init(
        opening permit: consuming DevicePermit, settings: VideoSettings = VideoSettings(),
        converting format: PixelFormat
    ) async throws(CaptureError) {
        var session = try await VideoSession(opening: permit, settings: settings)
        do throws(CaptureError) {
            try session.convert(to: format)
        } catch {
            await session.close()
            throw error
        }
        self = session
    }

    private mutating func convert(to format: PixelFormat) throws(CaptureError) {
        // Formats of few cameras, which become R, G and B, or planes, first.
        if self.format.planes.isEmpty, !self.format.pixelFormat.isCompressed { _ = try convertFrames() }
        let from = self.format
        guard let converter = try from.converter(to: format) else { return }
        convert(by: converter, to: converter.target, .conversion(from: from.pixelFormat, to: format))
    }
}

extension CaptureSession where Format == AudioFormat {
    /// Opens the microphone that the permit names, and converts its samples, if it has no such samples itself.
    ///
    /// `format` is then that of the converted samples. Integers are rounded to the nearest and limited to full scale, which is ±1
    /// in `.float32`.
    ///
    /// - Parameters:
    ///   - permit: permit for one microphone, at the level `.record`; used up.
    ///   - settings: requested settings; without a sample format, the microphone is asked for the requested one.
    ///   - format: format of the samples that are lent.
    /// - Throws: as `init(opening:settings:)`.
    public init(
        opening permit: consuming DevicePermit, settings: AudioSettings = AudioSettings(),
        converting format: SampleFormat
    ) async throws(CaptureError) {
        var settings = settings
        settings.sampleFormat = settings.sampleFormat ?? format
        var session = try await AudioSession(opening: permit, settings: settings)
        session.convert(to: format)
        self = session
    }

    /// Has samples converted from now on.
    fileprivate mutating func convert(to format: SampleFormat) {
        guard format != self.format.sampleFormat else { return }
        let own = formatOfDevice
        guard let converter = own.converter(to: format) else { return endConversion() }
        convert(by: converter, to: converter.target, .sampleConversion(from: own.sampleFormat, to: format))
    }

    /// Lends the next period as samples if there is one; never waits.
    ///
    /// If the microphone has other samples, they are converted from the first such call on, until one with another type, and
    /// `format` shows it; see `init(opening:settings:converting:)`.
    ///
    ///     session.withNextSamples(of: Float.self) { header, samples in … }
    ///
    /// - Parameters:
    ///   - type: `Int16`, `Int32`, or `Float` with full scale at ±1.
    ///   - body: gets the header, and the samples of all channels interleaved: `header.frameCount` times the channels. They are
    ///     valid only during the call.
    /// - Returns: the result of `body`; `nil` if there is nothing now.
    public mutating func withNextSamples<Sample: AudioSample, Value, Failure: Error>(
        of type: Sample.Type = Sample.self, _ body: (FrameHeader, Span<Sample>) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        convert(to: Sample.sampleFormat)
        return try withNext { (header, bytes) throws(Failure) in
            try bytes.withUnsafeBytes { (bytes) throws(Failure) in
                try body(header, bytes.assumingMemoryBound(to: Sample.self).span)
            }
        }
    }
}

/// Number that is a sample of audio.
///
/// *thread-safe*
public protocol AudioSample: BitwiseCopyable, Sendable {
    /// Format whose samples are such numbers.
    static var sampleFormat: SampleFormat { get }
}

extension Int16: AudioSample {
    public static var sampleFormat: SampleFormat { .s16 }
}

extension Int32: AudioSample {
    public static var sampleFormat: SampleFormat { .s32 }
}

extension Float: AudioSample {
    public static var sampleFormat: SampleFormat { .float32 }
}

extension VideoFormat {
    /// Converter of such frames to pixels; `nil` if they are those pixels already, in rows without padding.
    /// - Throws: as `PictureConverter.init(_:to:)`.
    func converter(to format: PixelFormat) throws(CaptureError) -> PictureConverter? {
        guard pixelFormat != format || planes.first?.stride != planes.first?.rowBytes else { return nil }
        return try PictureConverter(self, to: format)
    }
}

extension AudioFormat {
    /// Converter of such audio to other samples; `nil` if it has those already.
    func converter(to format: SampleFormat) -> SampleConverter? {
        format == sampleFormat ? nil : SampleConverter(self, to: format)
    }
}

extension SampleConverter: FrameConversion {}
extension PictureConverter: FrameConversion {}
