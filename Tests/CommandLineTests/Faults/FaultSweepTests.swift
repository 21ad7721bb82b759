import FoundationEssentials
import Testing

/// `Tests/Probes/FaultSweep` on the paced PCM of `Tests/PacedPCM`; `ALSA_CONFIG_PATH` names its configuration, as `Tests/run` sets
/// it, and CAPTUREGATE_TESTS=1, by which FaultSweep is built. Cameras, the kernel's own PCM and mixers are swept on the kernel
/// rig.
@Suite("Fault sweep", .fewAtOnce)
struct FaultSweepTests {
    /// Most of a sweep is waiting for sound, so its parts run side by side.
    @Test(
        "Whatever call fails, recording a microphone recovers or ends with an error that helps, and leaves nothing",
        arguments: 1...4)
    func microphone(part: Int) async throws {
        try await sweep("alsa:paced", ["--part", "\(part)/4"], atLeast: 50)
    }

    @Test("Also where its channels are apart and the machine sleeps meanwhile")
    func planar() async throws {
        let calls = ["prepare", "start", "htimestamp", "readn", "resume"].map { "snd_pcm_\($0)" } + ["poll"]
        try await sweep(
            "alsa:paced_with:PLANAR=1,SLEEP_AFTER=720", ["--only", calls.joined(separator: ",")], atLeast: 50)
    }

    /// Those of this machine, which may have none: looking for them is swept all the same.
    @Test("Whatever call fails, listing devices tells of it and lists all others")
    func devices() async throws {
        try await sweep("0", of: "devices", [], atLeast: 25)
    }

    private func sweep(
        _ device: String, of kind: String = "microphone", _ options: [String], atLeast least: Int
    ) async throws {
        let workspace = try Workspace()
        let folder = Executable.capturegate.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let command = ["env"] + environment + [folder.joined(separator: "/") + "/FaultSweep", kind, device]
        let ending = try await ChildProcess(command + options, in: workspace).finish()
        let lines = ending.output.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("not ok") } == [])
        #expect(ending.code == 0, "\(ending.output.suffix(500))")
        let count = lines.last?.split(separator: " ").first.flatMap { Int($0) } ?? 0
        #expect(count >= least, "\(ending.output.suffix(500))")
    }

    /// One heap, and no cached stacks: an additional mapping is then a leaked one.
    private var environment: [String] {
        [
            "ALSA_CONFIG_PATH=\(ProcessInfo.processInfo.environment["ALSA_CONFIG_PATH"] ?? "")",
            "GLIBC_TUNABLES=glibc.malloc.arena_max=1:glibc.pthread.stack_cache_size=0",
        ]
    }
}
