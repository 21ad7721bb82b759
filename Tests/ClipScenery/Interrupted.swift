import CaptureBase
import CaptureEncoding
import Synchronization

/// Recordings as they lie there when the machine lost power.
package enum Interrupted: String, CaseIterable, Sendable, CustomStringConvertible {
    case wav, flac, opus, y4m, mjpeg
    case pictureAndSound = "mkv"
    case opusInMatroska = "mka"
    case pictureAndSoundInMP4 = "mp4"
    case opusInMP4 = "m4a"

    package var description: String { rawValue }
    package var ending: String { "." + rawValue }

    package static let seconds = 3
    package static let sound = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)
    package static let picture = Source.video(.yuyv, rate: 25)

    private var tracks: [ClipTrack] {
        switch self {
        case .wav, .flac, .opus, .opusInMatroska, .opusInMP4: [Recording.track(Self.sound)]
        case .y4m, .mjpeg: [Recording.track(Self.picture)]
        case .pictureAndSound, .pictureAndSoundInMP4: [Recording.track(Self.picture), Recording.track(Self.sound)]
        }
    }

    private static let made = Mutex<[Interrupted: (interrupted: [UInt8], finished: [UInt8])]>([:])

    /// Bytes written by then, and those of a finished recording of the same. Every process makes it once.
    package func bytes(_ scratch: Scratch) throws -> (interrupted: [UInt8], finished: [UInt8]) {
        if let made = Self.made.withLock({ $0[self] }) {
            try scratch.write(made.finished, to: "source" + ending)
            return made
        }
        let bytes = try make(scratch)
        Self.made.withLock { $0[self] = bytes }
        return bytes
    }

    private func make(_ scratch: Scratch) throws -> (interrupted: [UInt8], finished: [UInt8]) {
        let path = scratch.path("source" + ending)
        var settings = EncoderSettings()
        if self == .opusInMatroska || self == .opusInMP4 { settings.audioCodec = .opus }
        if self == .pictureAndSoundInMP4 { (settings.videoCodec, settings.audioCodec) = (.mjpeg, .flac) }
        let writer = try ClipFormat(for: .file(path: path)).writer(
            on: ClipOutput(opening: .file(path: path)), tracks: tracks,
            labels: ClipLabels(title: "Lost power", extra: ["GRANT": "17"]), settings: settings)
        for frame in 0..<25 * Self.seconds {
            let time = Int64(frame) * 40_000_000
            for (index, track) in tracks.enumerated() {
                let bytes =
                    track.kind == .video
                    ? Source.picture(Self.picture, number: frame % 20) : Self.tones(from: 1920 * frame)
                try writer.write(bytes.span.bytes, to: index, at: time)
            }
        }
        let interrupted = try Scratch.read(path + ".partial")
        _ = try writer.finish(ledger: LossLedger(), end: .complete)
        return (interrupted, try Scratch.read(path))
    }

    /// A Matroska recording whose microphone was missing from the first second to the fifth: the silence for that comes when it is
    /// back, after the video.
    package static func lateSound(_ scratch: Scratch) throws -> [UInt8] {
        let path = scratch.path("late.mkv")
        let writer = try ClipFormat.matroska.writer(
            on: ClipOutput(opening: .file(path: path)),
            tracks: [Recording.track(Self.picture), Recording.track(Self.sound)])
        func write(_ track: Int, _ frames: Range<Int>) throws {
            for frame in frames {
                let bytes = track == 0 ? Source.picture(picture, number: frame % 20) : tones(from: 1920 * frame)
                try writer.write(bytes.span.bytes, to: track, at: Int64(frame) * 40_000_000)
            }
        }
        for frame in 0..<25 { for track in 0...1 { try write(track, frame..<frame + 1) } }
        try write(0, 25..<125)
        try write(1, 25..<125)
        for frame in 125..<150 { for track in 0...1 { try write(track, frame..<frame + 1) } }
        // What follows ends the last cluster.
        try write(0, 175..<176)
        let interrupted = try Scratch.read(path + ".partial")
        writer.discard()
        return interrupted
    }

    private static func tones(from first: Int) -> [UInt8] {
        (first..<first + 1920).flatMap { frame in
            (0..<2).flatMap { channel -> [UInt8] in
                // Noise, so that codecs of no loss need about the same room everywhere.
                let hash = UInt32(truncatingIfNeeded: 2 * frame + channel) &* 2_654_435_761
                let noise = Double(hash) / 4_294_967_296 - 0.5
                let tone = Source.tone(Double(frame) / 48_000, channel: channel)
                let value = Int16(tone * 20_000 + noise * 8000)
                return [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
            }
        }
    }

    /// Whether others' tools find no fault in a file.
    package func judge(_ path: String, _ scratch: Scratch) throws -> String? {
        switch self {
        case .wav: try Self.fault("sox", ["-V3", path, "-n", "stat"], scratch, words: ["WARN", "FAIL", "premature"])
        case .flac: try Self.fault("flac", ["-ts", path], scratch, words: ["ERROR"])
        case .opus: try Self.fault("opusinfo", [path], scratch, words: ["WARNING", "ERROR"])
        case .y4m, .mjpeg, .opusInMatroska, .pictureAndSoundInMP4, .opusInMP4: try Self.decodingFault(path, scratch)
        case .pictureAndSound:
            try Self.decodingFault(path, scratch)
                ?? Self.fault("mkvinfo", ["-v", path], scratch, words: ["unknown", "rror", "arning"])
        }
    }

    private static func decodingFault(_ path: String, _ scratch: Scratch) throws -> String? {
        try fault(
            "ffmpeg", ["-v", "error", "-i", path, "-f", "null", "-"], scratch, words: ["rror", "nvalid", "orrupt"])
    }

    private static func fault(
        _ tool: String, _ arguments: [String], _ scratch: Scratch, words: [String]
    ) throws -> String? {
        let found = try Tool.run(tool, arguments, in: scratch)
        let said = found.text + found.errors
        return found.status == 0 && !words.contains { said.contains($0) } ? nil : said
    }
}

extension [UInt8] {
    package func places(of pattern: [UInt8]) -> [Int] {
        (0..<Swift.max(0, count - pattern.count + 1)).filter { self[$0..<$0 + pattern.count].elementsEqual(pattern) }
    }
}
