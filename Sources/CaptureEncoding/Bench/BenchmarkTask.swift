import CaptureGate

/// What is done with each frame of a benchmark.
///
/// *session-bound*
protocol BenchmarkTask: AnyObject {
    /// Bytes that came out so far.
    var bytes: Int64 { get }

    func take(_ frame: RawSpan, at nanoseconds: Int64) throws(CaptureError)
}

final class EncoderTask: BenchmarkTask {
    private let encoder: any Encoder
    private var packets = PacketBuffer()

    init(_ settings: EncoderSettings, _ track: ClipTrack) throws(CaptureError) {
        encoder = settings.encoder(for: track)
        try encoder.begin()
    }

    var bytes: Int64 { Int64(encoder.counts.bytes) }

    func take(_ frame: RawSpan, at nanoseconds: Int64) throws(CaptureError) {
        packets.removeAll()
        try encoder.encode(frame, at: nanoseconds, into: &packets)
    }
}

final class StillTask: BenchmarkTask {
    private let encoder: StillEncoder
    private(set) var bytes: Int64 = 0

    init(_ still: StillFormat, _ parameters: StillParameters, _ format: VideoFormat) throws(CaptureError) {
        encoder = try StillEncoder(format, as: still, parameters: parameters)
    }

    func take(_ frame: RawSpan, at nanoseconds: Int64) throws(CaptureError) {
        bytes += Int64(try encoder.encode(frame).count)
    }
}

final class ClipTask: BenchmarkTask {
    private let writer: any ClipWriter

    init(_ format: ClipFormat, _ settings: EncoderSettings, _ track: ClipTrack) throws(CaptureError) {
        writer = try format.writer(on: ClipOutput(opening: .nothing), tracks: [track], settings: settings)
    }

    var bytes: Int64 { writer.bytesWritten }

    func take(_ frame: RawSpan, at nanoseconds: Int64) throws(CaptureError) {
        try writer.write(frame, to: 0, at: nanoseconds)
    }
}

extension BenchmarkSubject {
    func task() throws(CaptureError) -> any BenchmarkTask {
        switch (work, media) {
        case (.encoder(let settings), _): try EncoderTask(settings, track)
        case (.clip(let format, let settings), _): try ClipTask(format, settings, track)
        case (.still(let still, let parameters), .video(let format)): try StillTask(still, parameters, format)
        case (.still(let still, _), .audio):
            throw CaptureError(.usage, "\(still.rawValue) is a format of pictures, and \(name) is sound.")
        }
    }
}
