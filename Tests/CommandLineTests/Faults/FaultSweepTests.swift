import FoundationEssentials
import Testing

/// `Tests/FaultSweep` on the paced PCM of `Tests/PacedPCM`; `ALSA_CONFIG_PATH` names its configuration, as `Tests/run` sets
/// it. Cameras are swept on the kernel rig.
@Suite("Fault sweep")
struct FaultSweepTests {
    @Test("Whatever call fails, recording a microphone recovers or ends with an error that helps, and leaves nothing")
    func microphone() async throws {
        let workspace = try Workspace()
        let folder = Executable.capturegate.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let configuration = ProcessInfo.processInfo.environment["ALSA_CONFIG_PATH"] ?? ""
        let command = [
            "env", "ALSA_CONFIG_PATH=\(configuration)", folder.joined(separator: "/") + "/FaultSweep", "microphone",
            "alsa:paced", "--depth", "0",
        ]
        let ending = try await ChildProcess(command, in: workspace).finish()
        let complaints = ending.output.split(separator: "\n").filter { $0.hasPrefix("not ok") }
        #expect(complaints == [])
        #expect(ending.code == 0, "\(ending.output.suffix(500))")
        let count = ending.output.split(separator: "\n").last?.split(separator: " ").first.flatMap { Int($0) } ?? 0
        #expect(count > 100, "\(ending.output.suffix(500))")
    }
}
