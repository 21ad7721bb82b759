import CaptureGate
import CaptureRecording

/// Says what encoders and writers allocate a frame once they run; see Tests/checks/encoder-allocations. With more words it
/// does the work that Tests/Peers/encoders measures.
@main
struct EncoderProbe {
    private let counter: AllocationCounter
    private let folder: String

    private static let warmUp = 120
    private static let counted = 120

    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.count > 1 { return try PeerWork(words).run() }
        guard let counter = AllocationCounter(), CommandLine.arguments.count == 2 else {
            throw CaptureError(.usage, "Run Tests/checks/encoder-allocations.")
        }
        let probe = EncoderProbe(counter: counter, folder: CommandLine.arguments[1])
        probe.plant()
        try probe.encoders()
        try probe.writers()
        try probe.conversions()
        try probe.outputs()
    }

    private func say(_ name: String, _ found: (own: Int, libraries: Int)) {
        print("\(name) own=\(found.own) libraries=\(found.libraries)")
    }

    /// One allocation, so that the counter can be seen to count.
    private func plant() {
        say(
            "planted",
            counter.count {
                let memory = UnsafeMutableRawPointer.allocate(byteCount: 100_000, alignment: 16)
                memory.storeBytes(of: 1, as: UInt8.self)
                memory.deallocate()
            })
    }

    private func encoders() throws {
        for (name, workload, settings) in try Self.workloads() {
            let encoder = settings.encoder(for: workload.track)
            try encoder.begin()
            var packets = PacketBuffer()
            try workload.encode(0..<Self.warmUp, with: encoder, into: &packets)
            let found = try counter.count {
                try workload.encode(Self.warmUp..<Self.warmUp + Self.counted, with: encoder, into: &packets)
            }
            say("encoder \(name)", found)
        }
    }

    private func writers() throws {
        for (name, workload, settings) in try Self.workloads() {
            for format in Self.formats(workload, settings) {
                let path = "\(folder)/\(name).\(format.endings.first ?? "")"
                let writer = try format.writer(
                    on: ClipOutput(opening: .file(path: path)), tracks: [workload.track], settings: settings)
                try workload.write(0..<Self.warmUp, to: writer)
                say(
                    "writer \(format.rawValue) \(name)",
                    try counter.count { try workload.write(Self.warmUp..<Self.warmUp + Self.counted, to: writer) })
                writer.discard()
            }
        }
    }

    /// Writers with a conversion of the audio in front; microphones of a mix take turns.
    private func conversions() throws {
        let workload = Workload(AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16))
        for (name, conversion) in [
            ("mono-gain", AudioConversion(channels: .mono, gain: -3)), ("16000", AudioConversion(sampleRate: 16_000)),
            ("44101", AudioConversion(channels: .left, sampleRate: 44_101)),
            ("mix", AudioConversion(mixesMicrophones: true)),
        ] {
            let tracks = Array(repeating: workload.track, count: conversion.mixesMicrophones ? 2 : 1)
            let writer = try conversion.writer(for: tracks) { stored throws(CaptureError) in
                try ClipFormat.wav.writer(on: ClipOutput(opening: .file(path: "\(folder)/\(name).wav")), tracks: stored)
            }
            try workload.write(0..<Self.warmUp, to: writer, tracks: tracks.count)
            let found = try counter.count {
                try workload.write(Self.warmUp..<Self.warmUp + Self.counted, to: writer, tracks: tracks.count)
            }
            say("writer wav converted-\(name)", found)
            writer.discard()
        }
    }

    /// Frames for an output that shows them: unchanged, in another format, and as images.
    private func outputs() throws {
        guard let rate = FrameRate(30) else { return }
        for (own, other) in [(PixelFormat.yuyv, PixelFormat.yuyv), (.yuyv, .nv12), (.nv12, .yuyv), (.nv12, .mjpeg)] {
            let format = VideoFormat(width: 640, height: 480, pixelFormat: own, frameRate: rate, bytesPerLine: 0)
            let workload = Workload(format, bytes: Array(repeating: 128, count: format.rawByteCount ?? 0))
            let moments = CaptureMoments()
            let writer = try FrameOutputWriter(Blackhole(other), tracks: [workload.track], moments: moments)
            func show(_ range: Range<Int>) throws {
                for number in range {
                    moments.note(Int64(number), at: Int64(number) + 5)
                    try workload.write(number..<number + 1, to: writer)
                }
            }
            try show(0..<Self.warmUp)
            let found = try counter.count { try show(Self.warmUp..<Self.warmUp + Self.counted) }
            say("writer v4l2 \(own)-\(other)", found)
            writer.discard()
        }
    }

    private static func formats(_ workload: Workload, _ settings: EncoderSettings) -> [ClipFormat] {
        switch (workload.track.kind, settings.audioCodec, settings.videoCodec) {
        case (.audio, .opus, _): [.opus, .matroska, .mp4]
        case (.audio, .flac, _): [.flac, .matroska, .mp4]
        case (.audio, .aac, _): [.matroska, .mp4]
        case (.audio, _, _): [.wav, .matroska]
        case (.video, _, .raw): [.y4m, .matroska]
        case (.video, _, .h264): [.matroska, .mp4]
        case (.video, _, .vp8), (.video, _, .vp9): [.matroska, .webm]
        case (.video, _, _): [.mjpeg, .matroska, .mp4]
        }
    }

    private static func workloads() throws -> [(String, Workload, EncoderSettings)] {
        let sound = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)
        let odd = AudioFormat(sampleRate: 44_100, channels: 1, sampleFormat: .s24)
        var all: [(String, Workload, EncoderSettings)] = []
        for codec in [AudioCodec.pcm, .flac, .opus, .aac] where codec.isAvailable {
            var settings = EncoderSettings()
            settings.audioCodec = codec
            settings.opus.complexity = 0
            all.append((codec.rawValue, Workload(sound), settings))
            // Opus would resample it, which without the optimizer is no measure.
            if codec != .opus { all.append((codec.rawValue + "-44100-s24", Workload(odd), settings)) }
        }
        guard let rate = FrameRate(30) else { return all }
        for pixelFormat in [PixelFormat.yuyv, .nv12, .yuv420] {
            let format = VideoFormat(
                width: 64, height: 48, pixelFormat: pixelFormat, frameRate: rate, bytesPerLine: 0)
            let picture = [UInt8](repeating: 100, count: 64 * 48 * 2)
            // SVT-AV1, with its own threads, allocates as it likes.
            for codec in [VideoCodec.mjpeg, .raw, .h264, .vp8, .vp9] where codec.isAvailable {
                var settings = EncoderSettings()
                settings.videoCodec = codec
                // libvpx allocates for a key frame of VP9 that keeps to a bitrate.
                if codec == .vp9 { settings.prediction.quality = 60 }
                let name = "\(codec.rawValue)-\(pixelFormat)"
                all.append((name, Workload(format, bytes: picture), settings))
            }
        }
        return try all + [divided(rate), passedThrough(rate)] + cameraStreams(rate)
    }

    /// Images large enough for several restart intervals, and so for several threads.
    private static func divided(_ rate: FrameRate) -> (String, Workload, EncoderSettings) {
        let format = VideoFormat(width: 640, height: 480, pixelFormat: .yuyv, frameRate: rate, bytesPerLine: 0)
        let picture = (0..<640 * 480 * 2).map { UInt8(truncatingIfNeeded: $0 / 7 ^ $0 / 1280) }
        return ("mjpeg-divided", Workload(format, bytes: picture), images)
    }

    private static func passedThrough(_ rate: FrameRate) throws -> (String, Workload, EncoderSettings) {
        let raw = VideoFormat(width: 64, height: 48, pixelFormat: .yuyv, frameRate: rate, bytesPerLine: 0)
        let picture = [UInt8](repeating: 100, count: 64 * 48 * 2)
        let image = try StillEncoder(raw, as: .jpeg).encode(picture.span.bytes)
        let format = VideoFormat(width: 64, height: 48, pixelFormat: .mjpeg, frameRate: rate, bytesPerLine: 0)
        return ("passed-through", Workload(format, bytes: image + [0, 0]), images)
    }

    /// Black key frames with their parameter sets, as x264 and x265 make them.
    private static func cameraStreams(_ rate: FrameRate) -> [(String, Workload, EncoderSettings)] {
        var settings = EncoderSettings()
        settings.videoCodec = .h264
        return [
            (
                PixelFormat.h264,
                "000000016742c00adc47b0110000030001000003003c0f1227800000000168ce0fc80000016588843a2628000902c9c9c9d75d75d7"
                    + "5d75e0"
            ),
            (
                .hevc,
                "0000000140010c01ffff0408000003009fa800000300001eba0240000000014201010408000003009fa800000300001ea02083165b"
                    + "a4a4c2f0168080000003008000000f04000000014401c07181120000012801ade0d117ffd3918187d8c9d8"
            ),
        ].map { pixelFormat, digits in
            let format = VideoFormat(
                width: 64, height: 48, pixelFormat: pixelFormat, frameRate: rate, bytesPerLine: 0)
            let digits = Array(digits)
            let bytes = stride(from: 0, to: digits.count, by: 2).map {
                UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
            }
            return ("passed-through-\(pixelFormat)", Workload(format, bytes: bytes), settings)
        }
    }

    /// JPEG images in every container.
    private static var images: EncoderSettings {
        var settings = EncoderSettings()
        settings.videoCodec = .mjpeg
        return settings
    }
}
