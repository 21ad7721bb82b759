import CaptureGate
import Gate
import GateStore
import Testing

extension Workspace {
    /// The program under test as the subject of a grant, read once: its file is large.
    private static let subject = Result { () throws(CaptureError) -> Subject in
        let own = try ProcessSubject.current()
        return Subject(
            userID: own.userID, groupIDs: own.groupIDs,
            executable: try ProcessSubject.executable(at: Executable.capturegate), application: nil,
            session: own.session)
    }

    /// Allows the built-in camera and microphone. Most tests only need the permission; the tests of grants use the command.
    func allowTestDevices() async throws {
        try await allow(
            camera: .id(DeviceID(rawValue: "test:bars")), microphone: .id(DeviceID(rawValue: "test:tone")))
    }

    /// Allows every camera and every microphone.
    func allowAllDevices() async throws { try await allow(camera: .any, microphone: .any) }

    private func allow(camera: DeviceSelector, microphone: DeviceSelector) async throws {
        try await offPool {
            let subject = try Self.subject.get()
            let store = try SQLiteGrantStore(directory: self.store)
            try store.allow(.camera, .video, camera, for: subject)
            try store.allow(.microphone, .record, microphone, for: subject)
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

extension SQLiteGrantStore {
    fileprivate func allow(
        _ capability: CapabilityName, _ level: AccessLevel, _ device: DeviceSelector, for subject: Subject
    ) throws(CaptureError) {
        let now = SystemGateClock().now
        let decision = Decision(
            verdict: .allow, subject: subject, capability: capability, level: level, device: device,
            lifetime: .always, decidedBy: .command, decidedAt: now)
        let event = AuditEvent(
            .decision, at: now, subject: subject, capability: capability, level: level, detail: "allowed by a test")
        _ = try record([decision], audit: event)
    }
}
