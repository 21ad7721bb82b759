import Foundation

/// Maximum memory of a recording, beside ffmpeg's for the same: video and audio that both generate themselves, in real time, into
/// a file.
struct MemoryBenchmark {
    private let folder: String
    private let capturegate: String

    init() {
        folder = NSTemporaryDirectory() + "/capturegate-benchmark-\(getpid())"
        capturegate =
            (ProcessInfo.processInfo.environment["CAPTUREGATE_BIN"] ?? "../../.build/release") + "/capturegate"
    }

    func measure(_ options: Options) -> [Comparison] {
        guard FileManager.default.isExecutableFile(atPath: capturegate) else {
            fail(
                "there is no \(capturegate): swift build -c release in the package, or name a folder by CAPTUREGATE_BIN"
            )
        }
        try? FileManager.default.createDirectory(atPath: folder + "/state", withIntermediateDirectories: true)
        setenv("XDG_STATE_HOME", folder + "/state", 1)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run(capturegate, ["grant", "camera", "--device", "test:bars", "--level", "video", "--always"])
        _ = run(capturegate, ["grant", "microphone", "--device", "test:tone", "--level", "record", "--always"])
        return [
            compare(
                "640×480 at 30 fps, MJPEG, and 48 kHz stereo, FLAC, 5 s into Matroska", options,
                [
                    "record", folder + "/ours.mkv", "--force", "--camera", "test:bars", "--size", "640x480", "--fps",
                    "30",
                    "--microphone", "test:tone", "--channels", "2", "--for", "5s",
                ],
                [
                    "-re", "-f", "lavfi", "-i", "testsrc2=size=640x480:rate=30", "-re", "-f", "lavfi", "-i",
                    "sine=frequency=997:sample_rate=48000", "-ac", "2", "-c:v", "mjpeg", "-pix_fmt", "yuvj422p", "-c:a",
                    "flac", "-t", "5", folder + "/peer.mkv",
                ]),
            compare(
                "48 kHz stereo, 5 s into WAV", options,
                [
                    "record", folder + "/ours.wav", "--force", "--camera", "none", "--microphone", "test:tone",
                    "--channels", "2", "--for", "5s",
                ],
                [
                    "-re", "-f", "lavfi", "-i", "sine=frequency=997:sample_rate=48000", "-ac", "2", "-t", "5",
                    folder + "/peer.wav",
                ]),
        ]
    }

    private func compare(_ name: String, _ options: Options, _ ours: [String], _ ffmpeg: [String]) -> Comparison {
        let always = ["-nostdin", "-y", "-v", "error"]
        let rounds = PairedRuns(
            min(3, options.rounds), ours: { run(capturegate, ours) },
            peer: options.isAlone ? nil : { run("/usr/bin/ffmpeg", always + ffmpeg) })
        return Comparison("peak memory: \(name)", unit: "MiB", rounds, goal: .atMost(1))
    }

    /// Maximum resident memory, MiB: wait4(2).
    private func run(_ program: String, _ arguments: [String]) -> Double {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var (child, status, usage) = (pid_t(), Int32(0), rusage())
        guard posix_spawn(&child, program, &actions, nil, &words, environ) == 0,
            wait4(child, &status, 0, &usage) == child, status == 0
        else { fail("\(program) \(arguments.joined(separator: " ")): failed") }
        return Double(usage.ru_maxrss) / 1_024
    }
}
