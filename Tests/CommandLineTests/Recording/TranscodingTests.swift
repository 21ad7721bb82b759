import Foundation
import Testing

@Suite("files that another program makes", .fewAtOnce)
struct TranscodingTests {
    @Test(
        "The error for an ending that is not made here gives a pipe, and that makes the file",
        arguments: [
            ("a.avi", "--camera test:bars --microphone test:tone", ["video", "audio"]),
            ("a.mov", "--camera test:bars --microphone test:tone", ["video", "audio"]),
            ("a.mp3", "--microphone test:tone", ["audio"]), ("a.gif", "--camera test:bars", ["video"]),
        ])
    func piped(name: String, devices: String, kinds: [String]) async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let refused = try await workspace.capturegate(["record", name])
        #expect(refused.code == 64)
        let pipe = try #require(
            refused.errors.split(separator: "\n").compactMap { line in
                line.range(of: "capturegate record -").map { String(line[$0.lowerBound...]) }
            }.first, "\(refused.errors)")
        // The words of the error, and what a person adds: the devices and the duration.
        let program = "capturegate() { '\(Executable.capturegate)' \"$@\" \(devices) --for 1s --quiet; }"
        let script = "\(program)\nset -o pipefail\n\(pipe) -nostdin -loglevel error"
        let made = try await workspace.run(["bash", "-c", script])
        #expect(made.code == 0, "\(made.errors)")
        let found = try await workspace.run([
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0", name,
        ])
        #expect(found.output.split(separator: "\n").map(String.init) == kinds, "\(found.output)\(found.errors)")
    }

    @Test("The pipe has the options that were given, in quotes where a shell needs them")
    func options() async throws {
        let line = ["record", "--title", "A b", "a.gif", "--camera", "test:bars", "--size=320x240"]
        let refused = try await Workspace().capturegate(line)
        let pipe =
            "    capturegate record --title 'A b' - --camera test:bars --size=320x240 --microphone none | ffmpeg -i - a.gif\n"
        #expect(refused.code == 64 && refused.errors.contains(pipe), "\(refused.errors)")
        let tee = try await Workspace().capturegate("record", "a.mkv", "--tee", "b.mov", "--camera", "test:bars")
        #expect(tee.errors.contains("    capturegate record - | ffmpeg -i - b.mov\n"), "\(tee.errors)")
    }
}
