import CaptureGate
import ClipScenery
import GateTestKit
import Testing

@testable import CaptureRecording

@Suite("Clips of a running capture")
struct LiveCaptureTests {
    @Test("two clips are recorded by one answer, each whole, while others see every frame")
    func clips() async throws {
        let scratch = try Scratch()
        let seen = Locked<[UInt64]>([])
        let stored = Locked<[String: UInt64]>([:])
        try await withLiveCapture(in: scratch) { capture async throws(CaptureError) in
            let watch = try capture.watch("test:bars") { header, _ in seen.withLock { $0.append(header.sequence) } }
            for name in ["a.mkv", "b.mkv"] {
                let target = try RecordingTarget(.file(path: scratch.path(name)))
                let clip = try await capture.record(into: target, for: .milliseconds(500))
                // On a busy machine frames can be lost, and the last one of a clip can be among them.
                let made = clip.ledger.tracks.map { $0.delivered + $0.lost.total }
                #expect(clip.end == .complete && (14...15).contains(made[0]) && made[1] == 24_000)
                stored.withLock { $0[name] = clip.ledger.tracks[0].delivered }
            }
            watch.cancel()
        }
        for name in ["a.mkv", "b.mkv"] {
            let shown = try Tool.text(
                "ffmpeg", ["-v", "error", "-i", scratch.path(name), "-map", "0:v", "-f", "framemd5", "-"], in: scratch)
            let frames = stored.withLock { $0[name] } ?? 0
            #expect(frames > 0 && shown.split(separator: "\n").count { !$0.hasPrefix("#") } == frames)
        }
        let numbers = seen.withLock { $0 }
        #expect(numbers.count >= stored.withLock { $0.values.reduce(0, +) })
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("a clip that is stopped ends there, and the devices run on")
    func stopped() async throws {
        let scratch = try Scratch()
        try await withLiveCapture(in: scratch) { capture async throws(CaptureError) in
            let control = try RecordingControl()
            let target = try RecordingTarget(.file(path: scratch.path("a.mkv")))
            let clip = try await capture.record(into: target, control: control) { event in
                if case .progress(let progress) = event, progress.elapsedNanoseconds > 200_000_000 { control.stop() }
            }
            #expect(clip.end == .interrupt && clip.ledger.tracks.allSatisfy { $0.delivered > 0 })
            #expect(!capture.isRecording && capture.failure == nil)
            var frames = try capture.frames(of: "test:tone").makeAsyncIterator()
            #expect(try await frames.next() != nil)
        }
    }

    @Test("who watches a device may begin to follow it from there")
    func nested() async throws {
        try await withLiveCapture(in: Scratch()) { capture async throws(CaptureError) in
            let (found, follow) = AsyncStream.makeStream(of: LiveFrames.self)
            let watch = try capture.watch("test:bars") { _, _ in
                if let frames = try? capture.frames(of: "test:bars") { follow.yield(frames) }
            }
            for await frames in found {
                watch.cancel()
                var frames = frames.makeAsyncIterator()
                #expect(try await frames.next() != nil)
                break
            }
        }
    }

    @Test("a second clip beside one is refused, and so is one behind the end")
    func refused() async throws {
        let scratch = try Scratch()
        let ended = Locked<LiveCapture?>(nil)
        try await withLiveCapture(in: scratch) { capture async throws(CaptureError) in
            ended.withLock { $0 = capture }
            let control = try RecordingControl()
            let started = Signal()
            async let first = recorded(by: capture, to: scratch.path("a.mkv"), control) { started.raise() }
            await started.reached()
            let second = await recorded(by: capture, to: scratch.path("b.mkv"), try RecordingControl()) {}
            #expect(second.failure?.message == "A clip is being recorded already.")
            control.stop()
            #expect(await first.failure == nil)
        }
        let capture = try #require(ended.withLock { $0 })
        let late = await recorded(by: capture, to: scratch.path("c.mkv"), try RecordingControl()) {}
        #expect(late.failure?.message == "The capture is closed.")
        #expect(Set(scratch.names) == ["a.mkv", "store"])
        #expect(throws: CaptureError.self) { try capture.frames(of: "test:other") }
    }

    private func recorded(
        by capture: LiveCapture, to path: String, _ control: RecordingControl, _ onStart: @escaping @Sendable () -> Void
    ) async -> Result<Clip, CaptureError> {
        do throws(CaptureError) {
            let target = try RecordingTarget(.file(path: path))
            return .success(
                try await capture.record(into: target, control: control) { event in
                    if case .started = event { onStart() }
                })
        } catch {
            return .failure(error)
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
