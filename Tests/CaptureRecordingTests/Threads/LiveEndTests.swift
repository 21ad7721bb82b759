import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

@Suite("Pauses and revocations of a running capture")
struct LiveEndTests {
    @Test("a clip that is paused and resumed goes on without a hole, and its ledger has one pause")
    func paused() async throws {
        let scratch = try Scratch()
        let stored = Locked<UInt64>(0)
        try await withLiveCapture(in: scratch) { capture async throws(CaptureError) in
            let control = try RecordingControl()
            let told = Locked<[Bool]>([])
            let watch = try capture.watch("test:bars") { header, _ in
                // The cut begins with a whole frame, so that a later one has to be there for a pause to leave something out.
                if control.pauses.count == 1, let pause = control.pauses.first, header.timestamp > pause + 100_000_000 {
                    control.resume()
                }
            }
            let target = try RecordingTarget(.file(path: scratch.path("a.mkv")))
            let clip = try await capture.record(into: target, for: .seconds(1), control: control) { event in
                switch event {
                case .started: control.pause()
                case .paused(let isPaused, _): told.withLock { $0.append(isPaused) }
                default: break
                }
            }
            watch.cancel()
            let turns = told.withLock { $0 }
            #expect(clip.end == .complete && turns == [true, false] && clip.ledger.pauses.count == 1)
            #expect(clip.ledger.pauses.allSatisfy { $0.length > .milliseconds(50) && $0.at < .seconds(1) })
            // On a busy machine frames can be lost, and the last one of the clip can be among them.
            let made = clip.ledger.tracks.map { Int64($0.delivered + $0.lost.total) + $0.corrected }
            #expect((29...30).contains(made[0]) && made[1] == 48_000)
            stored.withLock { $0 = clip.ledger.tracks[0].delivered }
        }
        let shown = try Tool.text(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0",
                scratch.path("a.mkv"),
            ], in: scratch)
        let times = shown.split { $0 == "\n" || $0 == "," }.compactMap { Double($0) }
        #expect(times.count == stored.withLock { $0 } && times == times.sorted())
        // A hole of the pause's length would move the last frame beyond the clip's second.
        let last = try #require(times.last)
        #expect(last < 1)
    }

    /// With one device, nothing else wakes its reader.
    @Test(
        "a revocation ends the clip that is recorded, which keeps what it has, and with it the capture",
        arguments: [1, 2])
    func revoked(devices: Int) async throws {
        let scratch = try Scratch()
        let parts: [any DeviceCapability] = [Capability.tone(), Capability.bars()]
        try await withLiveCapture(of: Array(parts.prefix(devices)), in: scratch) {
            capture async throws(CaptureError) in
            let frames = try capture.frames(of: "test:tone")
            let target = try RecordingTarget(.file(path: scratch.path("a.mkv")))
            // Much longer than a revocation takes.
            let clip = try await capture.record(into: target, for: .seconds(120)) { event in
                if case .started = event { try? scratch.revoke() }
            }
            #expect(clip.end == .revoked && clip.ledger.tracks.contains { $0.delivered > 0 })
            guard clip.end == .revoked else { return }
            #expect(await Self.end(of: frames)?.kind == .revoked)
            #expect(capture.failure?.kind == .revoked && !capture.isRecording)
            #expect(await Self.refusal(of: capture, scratch.path("b.mkv"))?.kind == .revoked)
        }
        #expect(scratch.names == ["a.mkv", "store"])
    }

    @Test("after a revocation between two clips the next one is refused, and leaves no file")
    func revokedBetween() async throws {
        let scratch = try Scratch()
        try await withLiveCapture(in: scratch) { capture async throws(CaptureError) in
            let frames = try capture.frames(of: "test:bars")
            let target = try RecordingTarget(.file(path: scratch.path("a.mkv")))
            let clip = try await capture.record(into: target, for: .milliseconds(200))
            #expect(clip.end == .complete)
            try scratch.revoke()
            #expect(await Self.end(of: frames)?.kind == .revoked)
            #expect(await Self.refusal(of: capture, scratch.path("b.mkv"))?.kind == .revoked)
        }
        #expect(scratch.names == ["a.mkv", "store"])
    }

    /// Error that ends the frames of a device; `nil` if they continue for long.
    private static func end(of frames: LiveFrames) async -> CaptureError? {
        do throws(CaptureError) {
            var left = 300
            for try await _ in frames {
                left -= 1
                if left == 0 { break }
            }
            return nil
        } catch {
            return error
        }
    }

    /// Error of a further clip.
    private static func refusal(of capture: LiveCapture, _ path: String) async -> CaptureError? {
        do throws(CaptureError) {
            let target = try RecordingTarget(.file(path: path))
            _ = try await capture.record(into: target, for: .milliseconds(200))
            return nil
        } catch {
            return error
        }
    }
}
