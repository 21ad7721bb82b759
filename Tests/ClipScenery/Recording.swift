import CaptureBase
import CaptureEncoding

/// Short recordings for the judges.
package enum Recording {
    package static let microphone = "Test microphone"
    package static let camera = "Test camera"

    package static func track(_ format: AudioFormat) -> ClipTrack {
        ClipTrack(.audio(format), name: microphone, device: "mic-1")
    }
    package static func track(_ format: VideoFormat) -> ClipTrack {
        ClipTrack(.video(format), name: camera, device: "cam-1")
    }

    /// Records audio in periods of uneven length.
    @discardableResult
    package static func sound(
        _ bytes: [UInt8], _ format: AudioFormat, to path: String, settings: EncoderSettings = EncoderSettings()
    ) throws -> Clip {
        let destination = ClipDestination(path)
        let writer = try ClipFormat(for: destination).writer(
            on: ClipOutput(opening: destination), tracks: [track(format)], labels: ClipLabels(title: "Test"),
            settings: settings)
        var frame = 0
        for size in sequence(first: 441, next: { $0 % 997 + 101 }) where frame * format.bytesPerFrame < bytes.count {
            let start = frame * format.bytesPerFrame
            let period = Array(bytes[start..<min(start + size * format.bytesPerFrame, bytes.count)])
            try writer.write(audio: period.span.bytes, at: time(frame, format))
            frame += size
            if frame * format.bytesPerFrame >= bytes.count { break }
        }
        return try writer.finish(ledger: ledger, end: .complete)
    }

    /// Records frames at their exact times.
    @discardableResult
    package static func pictures(
        _ frames: [[UInt8]], _ format: VideoFormat, to path: String, settings: EncoderSettings = EncoderSettings()
    ) throws -> Clip {
        let destination = ClipDestination(path)
        let writer = try ClipFormat(for: destination).writer(
            on: ClipOutput(opening: destination), tracks: [track(format)], settings: settings)
        for (number, frame) in frames.enumerated() {
            try writer.write(video: frame.span.bytes, at: time(number, format))
        }
        return try writer.finish(ledger: ledger, end: .complete)
    }

    package static func time(_ frame: Int, _ format: AudioFormat) -> Int64 {
        Int64(frame) * 1_000_000_000 / Int64(format.sampleRate)
    }

    package static func time(_ number: Int, _ format: VideoFormat) -> Int64 {
        Int64(number) * Int64(format.frameRate.denominator) * 1_000_000_000 / Int64(format.frameRate.numerator)
    }

    package static var ledger: LossLedger {
        var audio = TrackLedger(kind: .audio, name: microphone, device: "mic-1")
        audio.asked = 480
        audio.delivered = 479
        audio.lost.xrun = 1
        audio.driftPPM = 12.5
        return LossLedger(tracks: [audio])
    }

    package static let sampleFormats: [SampleFormat] = SampleFormat.allCases
    package static let channelCounts = [1, 2, 8]
}
