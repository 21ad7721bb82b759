import CaptureGate
import CaptureRecording
import CaptureRig
import Glibc
import ProbeKit

/// Processor time that checks take to judge 1080p at 30 frames a second, in percent of one core, and what ffmpeg's filters for
/// black and frozen frames take with the same frames: exit code 1 where a check takes more than 5 %.
///
/// usage: CheckCost FOLDER
@main
struct CheckCost {
    /// Frames of a capture, at 30 a second.
    static let frames = 300
    /// Most percent of one core.
    private static let most = 5.0
    private static let rounds = 5

    static func main() async {
        guard CommandLine.arguments.count == 2 else {
            print("usage: CheckCost FOLDER")
            exit(64)
        }
        let report = TAPReport()
        do {
            for code in ["YUYV", "MJPG"] { try await measure(code, CommandLine.arguments[1], report) }
        } catch {
            report.check("The checks can be made", false, "\(error)")
        }
        exit(report.finish())
    }

    private static func measure(_ code: String, _ folder: String, _ report: TAPReport) async throws {
        guard let pixels = PixelFormat(code), let rate = FrameRate(30) else {
            throw ProbeFailure("There is no \(code).")
        }
        let format = VideoFormat(
            width: 1920, height: 1080, pixelFormat: pixels, frameRate: rate,
            bytesPerLine: pixels.isJPEG ? 0 : 3840)
        let replay = Replay(format, try BenchmarkFrames(of: .video(format), count: 6).frames)
        let bytes: [Int] = replay.frames.map(\.count)
        report.note("\(code): \(bytes.reduce(0, +) / bytes.count / 1000) kB a frame")
        let bench = try Bench(folder, replay)
        for subject in Subject.all {
            try await bench.accept(subject)
            var costs: [Double] = []
            for _ in 0..<rounds { costs.append(try await bench.cost(of: subject)) }
            let cost = costs.sorted()[rounds / 2]
            let text = "\(tenths(cost)) % of a core, limit \(most) %"
            report.check("\(subject.name) of \(code) takes at most \(most) % of a core", cost <= most, text)
            report.note("\(subject.name) of \(code): \(text)")
        }
        report.note("ffmpeg's blackframe and freezedetect of \(code): \(tenths(try replay.peer(in: folder))) %")
    }

    private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

/// Check with the parameters that make it read all frames.
struct Subject {
    let name: String
    let check: String
    var parameters: [String: PlanValue] = [:]
    /// Frames of which the golden files are made.
    var golden = 1

    static let all = [
        Subject(name: "camera.jitter", check: "camera.jitter"), Subject(name: "camera.frozen", check: "camera.frozen"),
        Subject(
            name: "camera.pixels, of a digital source", check: "camera.pixels",
            parameters: ["frames": .count(CheckCost.frames)], golden: CheckCost.frames),
        Subject(
            name: "camera.pixels, of a chart", check: "camera.pixels",
            parameters: ["frames": .count(CheckCost.frames)]),
        Subject(name: "camera.sharpness", check: "camera.sharpness"),
        Subject(name: "camera.exposure", check: "camera.exposure"),
        Subject(name: "camera.low_light", check: "camera.low_light"),
    ]
}

/// Checks with their own gate.
struct Bench {
    private let folder: String
    private let replay: Replay
    private let gate: Gatekeeper
    private let device: Device

    init(_ folder: String, _ replay: Replay) throws {
        (self.folder, self.replay) = (folder, replay)
        gate = try Gatekeeper.system(storeIn: folder, prompter: BenchPrompter())
        guard let device = DeviceCatalog.scan(.identity).first(where: { $0.id.rawValue == "test:bars" }) else {
            throw ProbeFailure("There is no test:bars.")
        }
        self.device = device
    }

    func accept(_ subject: Subject) async throws { try await run(subject, replay.first(subject.golden), accepts: true) }

    /// - Returns: percent of one core.
    func cost(of subject: Subject) async throws -> Double {
        let begun = Self.processor
        try await run(subject, replay, accepts: false)
        return 100 * (Self.processor - begun) / (Double(CheckCost.frames) / 30)
    }

    private func run(_ subject: Subject, _ frames: Replay, accepts: Bool) async throws {
        guard let make = CheckMakers.all[subject.check] else { throw ProbeFailure("There is no \(subject.check).") }
        let planned = PlannedCheck(
            name: subject.check, check: subject.check, devices: ["camera"], parameters: subject.parameters)
        let findings = try await make(
            CheckContext(
                planned, [device], streams: frames, gatekeeper: gate,
                golden: GoldenFiles("\(folder)/golden", accepts: accepts), evidence: EvidenceFolder(nil),
                commands: CommandRunner()))
        guard findings.measures.allSatisfy({ $0.name != "unreadable" || $0.value == 0 }) else {
            throw ProbeFailure("A frame of \(subject.check) can't be read.")
        }
    }

    /// Processor time that this process has had, in s.
    private static var processor: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Camera that delivers a few frames again and again, without waiting: only reading them takes time.
struct Replay: StreamSource {
    let format: VideoFormat
    let frames: [[UInt8]]
    private var count = CheckCost.frames

    init(_ format: VideoFormat, _ frames: [[UInt8]]) { (self.format, self.frames) = (format, frames) }

    func first(_ count: Int) -> Replay {
        var few = self
        few.count = count
        return few
    }

    func record<Inspector: StreamInspector>(
        _ capture: StreamCapture, from device: Device,
        _ inspector: @escaping @Sendable (ClipTrack.Media) throws(CaptureError) -> Inspector
    ) async throws(CaptureError) -> (record: StreamRecord, inspector: Inspector) {
        let media = ClipTrack.Media.video(format)
        var (record, inspector) = (StreamRecord(device, media, begun: 0), try inspector(media))
        for number in 0..<count {
            let frame = frames[number % frames.count]
            let header = FrameHeader(
                sequence: UInt64(number), timestamp: Int64(number + 1) * 33_333_333, byteCount: frame.count,
                frameCount: 1)
            record.note(header, arrival: header.timestamp)
            inspector.inspect(header, frame.span.bytes)
        }
        return (record, inspector)
    }

    /// Percent of one core that ffmpeg takes to search the same number of these frames for black and frozen ones.
    func peer(in folder: String) throws -> Double {
        let path = "\(folder)/frames"
        guard let file = fopen(path, "w") else { throw ProbeFailure("\(path) can't be written.") }
        for frame in frames { fwrite(frame, 1, frame.count, file) }
        fclose(file)
        defer { remove(path) }
        let input =
            format.pixelFormat.isJPEG
            ? ["-f", "mjpeg"] : ["-f", "rawvideo", "-pixel_format", "yuyv422", "-video_size", "1920x1080"]
        let loops = String(CheckCost.frames / frames.count - 1)
        let before = Self.children
        let program = Program(
            "ffmpeg",
            ["-v", "error", "-threads", "1", "-stream_loop", loops] + input
                + ["-framerate", "30", "-i", path, "-vf", "blackframe,freezedetect", "-f", "null", "-"])
        guard try program.run() == 0 else { throw ProbeFailure("ffmpeg can't read the frames.") }
        return 100 * (Self.children - before) / (Double(CheckCost.frames) / 30)
    }

    /// Processor time that the programs run so far had, in s.
    private static var children: Double {
        var used = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &used)
        let seconds = used.ru_utime.tv_sec + used.ru_stime.tv_sec
        return Double(seconds) + Double(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6
    }
}
