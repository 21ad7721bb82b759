import FoundationEssentials
import Testing

extension Workspace {
    /// Starts capturegate with only the microphones of `Tests/PacedPCM`, as `Tests/run` does.
    func paced(_ arguments: [String], vanishingWith file: String? = nil) throws -> ChildProcess {
        let configuration = try #require(ProcessInfo.processInfo.environment["ALSA_CONFIG_PATH"])
        return try ChildProcess(
            ["env", "ALSA_CONFIG_PATH=\(configuration)"] + (file.map { ["PACED_VANISHES_WITH=\($0)"] } ?? [])
                + [Executable.capturegate] + arguments, in: self)
    }
}

/// Audio of a file as ffmpeg decodes it: 16 bits, two channels, from the paced PCM.
struct PacedRecording {
    private let samples: [Int16]

    init(of name: String, in workspace: Workspace) async throws {
        let line = "ffmpeg -v error -y -i '\(name)' -map 0:a:0 -f s16le sound.raw"
        #expect(try await workspace.run(["sh", "-c", line]).code == 0)
        let bytes = try Data(contentsOf: URL(filePath: workspace.file("sound.raw")))
        samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    }

    var frames: Int { samples.count / 2 }

    func isSilent(_ frames: Range<Int>) -> Bool {
        samples[frames.lowerBound * 2..<frames.upperBound * 2].allSatisfy { $0 == 0 }
    }

    /// Which of the device's frames it begins with, and then has without a gap.
    var start: Int? { (0..<480_000).first { isDevice(0..<frames, from: $0) } }

    /// Whether these are the device's frames from that number on.
    func isDevice(_ frames: Range<Int>, from number: Int) -> Bool {
        samples.withUnsafeBufferPointer { samples in
            var index = 0
            // Not with closures: a debug build takes seconds for those.
            while index < frames.count * 2 {
                let hash = UInt32(truncatingIfNeeded: (number + index / 2) * 8 + index % 2) &* 2_654_435_761
                let isSame =
                    samples[frames.lowerBound * 2 + index] == Int16(truncatingIfNeeded: Int32(bitPattern: hash) >> 16)
                guard isSame else { return false }
                index += 1
            }
            return true
        }
    }
}
