import Testing

extension Workspace {
    /// Allows the built-in camera and microphone.
    func allowTestDevices() async throws {
        for (capability, device) in [("camera", "test:bars"), ("microphone", "test:tone")] {
            let ending = try await capturegate("grant", capability, "--device", device, "--always")
            #expect(ending.code == 0)
        }
    }

    /// What ffprobe, which has nothing in common with this project, says of a file, and that it finds no fault.
    func probe(_ name: String, _ entries: String) async throws -> Document {
        let ending = try await run(
            ["ffprobe", "-v", "error", "-count_frames", "-show_entries", entries, "-of", "json", name])
        #expect(ending.code == 0)
        #expect(ending.errors.isEmpty)
        return try Document(ending.output)
    }

    /// How many samples of each channel ffmpeg decodes.
    func samples(_ name: String, channels: Int) async throws -> Int {
        let line = "ffmpeg -v error -i '\(name)' -map 0:a:0 -f s16le - | wc -c"
        let ending = try await run(["sh", "-c", line])
        let count = try #require(Int(ending.output.filter(\.isNumber)))
        return count / 2 / channels
    }
}
