import CaptureGate
import CaptureRecording
import CaptureRig
import Glibc

/// The work that Tests/Peers/encoders compares with that of other programs: frames from a file in memory, into a file.
struct PeerWork {
    private let words: [String]

    init(_ words: [String]) { self.words = words }

    private static let sound = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)

    func run() throws {
        switch words[0] {
        case "make-pictures": try store(pictures(number(1), number(2), count: number(3)), in: word(4))
        case "make-images": try makeImages()
        case "make-sound": try store(BenchmarkFrames(of: .audio(Self.sound), count: 10 * number(1)).frames, in: word(2))
        case "mjpeg": try mjpeg(MJPEGParameters(quality: number(3), range: .full))
        case "mjpeg-plain":
            try mjpeg(MJPEGParameters(quality: number(3), range: .full, quantization: .annexK, codes: .standard))
        case "h264": try predicted(.h264)
        case "vp8": try predicted(.vp8)
        case "vp9": try predicted(.vp9)
        case "flac": try flac()
        case "opus": try opus()
        case "matroska": try matroska()
        default: throw CaptureError(.usage, "Run Tests/Peers/encoders.")
        }
    }

    private func word(_ index: Int) throws -> String {
        guard words.indices.contains(index) else { throw CaptureError(.usage, "Run Tests/Peers/encoders.") }
        return words[index]
    }

    private func number(_ index: Int) throws -> Int {
        guard let number = Int(try word(index)) else { throw CaptureError(.usage, "Run Tests/Peers/encoders.") }
        return number
    }

    // MARK: Making

    private func format(_ width: Int, _ height: Int, _ pixelFormat: PixelFormat) throws -> VideoFormat {
        guard let rate = FrameRate(30) else { throw CaptureError(.usage, "30 is no rate.") }
        return VideoFormat(
            width: width, height: height, pixelFormat: pixelFormat, frameRate: rate,
            bytesPerLine: pixelFormat.isJPEG ? 0 : width)
    }

    private func pictures(_ width: Int, _ height: Int, count: Int) throws -> [[UInt8]] {
        try BenchmarkFrames(of: .video(format(width, height, .yuv420)), count: count).frames
    }

    private func store(_ frames: [[UInt8]], in path: String) throws {
        guard let file = fopen(path, "w") else { throw CaptureError(.inputOutput, "\(path) can't be written.") }
        defer { fclose(file) }
        for frame in frames { fwrite(frame, 1, frame.count, file) }
    }

    /// make-images WIDTH HEIGHT QUALITY COUNT FOLDER: FOLDER/1.jpg, 2.jpg …
    private func makeImages() throws {
        let (width, height) = (try number(1), try number(2))
        var parameters = StillParameters()
        parameters.jpeg = MJPEGParameters(quality: try number(3), range: .full)
        let encoder = try StillEncoder(format(width, height, .yuv420), as: .jpeg, parameters: parameters)
        for (index, frame) in try pictures(width, height, count: number(4)).enumerated() {
            let image = try encoder.encode(frame.span.bytes)
            try store([image], in: "\(word(5))/\(index + 1).jpg")
        }
    }

    // MARK: Work

    /// The file in place, in memory: a copy would be measured, too.
    private func contents(_ path: String) throws -> UnsafeRawBufferPointer {
        let file = open(path, O_RDONLY)
        defer { close(file) }
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0,
            let start = mmap(nil, Int(status.st_size), PROT_READ, MAP_SHARED | Int32(MAP_POPULATE), file, 0),
            start != MAP_FAILED
        else { throw CaptureError(.badInput, "\(path) can't be read.") }
        return UnsafeRawBufferPointer(start: start, count: Int(status.st_size))
    }

    /// - Parameter bytes: grows if necessary.
    /// - Returns: the number of bytes that are the file's.
    private func read(_ path: String, into bytes: inout [UInt8]) throws -> Int {
        let file = open(path, O_RDONLY)
        defer { close(file) }
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0 else { throw CaptureError(.badInput, "\(path) can't be read.") }
        let size = Int(status.st_size)
        if bytes.count < size { bytes = [UInt8](repeating: 0, count: size) }
        var done = 0
        while done < size {
            let count = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress.map { $0 + done }, size - done) }
            guard count > 0 else { throw CaptureError(.badInput, "\(path) can't be read.") }
            done += count
        }
        return size
    }

    private func write(
        _ pieces: Int, to format: ClipFormat, _ media: ClipTrack.Media, _ settings: EncoderSettings, in path: String,
        _ piece: (Int, any ClipWriter) throws -> Void
    ) throws {
        let track = ClipTrack(media, name: "work", device: "memory")
        let output = try ClipOutput(opening: ClipDestination(path), replacing: true)
        let writer = try format.writer(on: output, tracks: [track], settings: settings)
        for index in 0..<pieces { try piece(index, writer) }
        _ = try writer.finish(ledger: LossLedger(), end: .complete)
    }

    /// mjpeg WIDTH HEIGHT QUALITY ROUNDS IN OUT, and mjpeg-plain with nothing but what the library does by itself.
    private func mjpeg(_ parameters: MJPEGParameters) throws {
        var settings = EncoderSettings()
        settings.mjpeg = parameters
        try video(.mjpeg, settings)
    }

    /// h264, vp8 and vp9 WIDTH HEIGHT BITRATE ROUNDS IN OUT, into Matroska.
    private func predicted(_ codec: VideoCodec) throws {
        var settings = EncoderSettings()
        settings.videoCodec = codec
        settings.prediction.bitrate = try number(3)
        try video(.matroska, settings)
    }

    private func video(_ clip: ClipFormat, _ settings: EncoderSettings) throws {
        let format = try format(number(1), number(2), .yuv420)
        let bytes = try contents(word(5))
        let size = format.width * format.height * 3 / 2
        let count = bytes.count / size
        try write(count * number(4), to: clip, .video(format), settings, in: word(6)) { index, writer in
            let start = index % count * size
            let picture = bytes.bytes.extracting(start..<start + size)
            try writer.write(picture, to: 0, at: Int64(index) * format.frameRate.frameNanoseconds)
        }
    }

    /// flac LEVEL ROUNDS IN OUT
    private func flac() throws {
        var settings = EncoderSettings()
        settings.flacLevel = try number(1)
        try sound(.flac, settings, rounds: number(2), from: word(3), into: word(4))
    }

    /// opus BITRATE COMPLEXITY IN OUT
    private func opus() throws {
        var settings = EncoderSettings()
        settings.opus = OpusParameters(bitrate: try number(1), complexity: try number(2))
        try sound(.opus, settings, rounds: 1, from: word(3), into: word(4))
    }

    /// In periods of 100 ms, as in a recording.
    private func sound(
        _ format: ClipFormat, _ settings: EncoderSettings, rounds: Int, from source: String, into path: String
    ) throws {
        let bytes = try contents(source)
        let size = 4800 * Self.sound.bytesPerFrame
        let count = bytes.count / size
        try write(count * rounds, to: format, .audio(Self.sound), settings, in: path) { index, writer in
            let start = index % count * size
            let period = bytes.bytes.extracting(start..<start + size)
            try writer.write(period, to: 0, at: Int64(index) * 100_000_000)
        }
    }

    /// matroska WIDTH HEIGHT COUNT FOLDER OUT: the images FOLDER/1.jpg, 2.jpg ...
    private func matroska() throws {
        let format = try format(number(1), number(2), .mjpeg)
        let folder = try word(4)
        var image: [UInt8] = []
        try write(number(3), to: .matroska, .video(format), EncoderSettings(), in: word(5)) { index, writer in
            let size = try read("\(folder)/\(index + 1).jpg", into: &image)
            try writer.write(
                image.span.bytes.extracting(0..<size), to: 0, at: Int64(index) * format.frameRate.frameNanoseconds)
        }
    }
}
