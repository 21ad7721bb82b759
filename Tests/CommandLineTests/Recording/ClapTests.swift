import Foundation
import Testing

@Suite("claps", .fewAtOnce)
struct ClapTests {
    /// The package's script, as it is used on a bench.
    private var measure: String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Rig/clap-offset").path
    }

    @Test(
        "picture and sound of the built-in devices clap together", arguments: [["--fps", "30"], ["--fps", "25"], []])
    func together(rate: [String]) async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        // Small, so that a busy machine loses none.
        let line = [
            "record", "a.mkv", "--camera", "test:bars", "--size", "64x48", "--microphone", "test:tone", "--clap",
            "--for",
            "4s",
        ]
        #expect(try await workspace.capturegate(line + rate).code == 0)
        let judged = try await workspace.run([measure, "--spacing", "1", "a.mkv"])
        let figures = judged.output.split(separator: " ").compactMap { Double($0.filter { $0 != "\n" }) }
        try #require(figures.count == 7)
        #expect((1...5).contains(figures[0]))
        #expect(figures[1] < 1)
        #expect(figures[2] >= 1)
        // A millisecond is what Matroska's times are rounded to; a period would be 10.
        #expect(figures[5] > -2 && figures[6] < 2)
    }

    @Test("the measure tells a clip that has none, and one that can't be read")
    func none() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let line = ["record", "a.mkv", "--camera", "test:bars", "--microphone", "test:tone", "--for", "1s"]
        #expect(try await workspace.capturegate(line).code == 0)
        #expect(try await workspace.run([measure, "a.mkv"]).code == 1)
        #expect(try await workspace.run([measure, "b.mkv"]).code == 2)
    }
}
