import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

@Suite("Events of a recording as a sequence", .timeLimit(.minutes(2)))
struct RecordingEventsTests {
    private func record(
        into target: RecordingTarget, _ events: RecordingEvents, in scratch: Scratch
    ) async throws -> Clip {
        try await withPermit(for: [Capability.tone()], in: scratch) { permit async throws(CaptureError) in
            try await Recorder(opening: permit).record(into: target, for: .milliseconds(300), events: events)
        }
    }

    /// All events, once the sequence is over.
    private static func all(of events: RecordingEvents) async -> [RecordingEvent] {
        var seen: [RecordingEvent] = []
        for await event in events { seen.append(event) }
        return seen
    }

    @Test("They go from the start to the end, tell the clip that the recording returns, and end with it")
    func whole() async throws {
        let scratch = try Scratch()
        let events = RecordingEvents()
        async let told = Self.all(of: events)
        let clip = try await record(
            into: RecordingTarget(.file(path: scratch.path("a.wav"))), events, in: scratch)
        let seen = await told
        guard case .started(let tracks, _) = seen.first, case .ended(let ended, let error, let last) = seen.last else {
            Issue.record("\(seen)")
            return
        }
        #expect(tracks == clip.tracks && ended == clip && error == nil && last > 0)
        let elapsed = seen.compactMap { if case .progress(let progress) = $0 { progress.elapsed } else { nil } }
        #expect(!elapsed.isEmpty && elapsed == elapsed.sorted() && elapsed.allSatisfy { $0 <= clip.duration })
    }

    @Test("They end with a recording that throws, too, of which there is nothing to tell")
    func thrown() async throws {
        let scratch = try Scratch()
        let events = RecordingEvents()
        async let told = Self.all(of: events)
        let target = try RecordingTarget(.file(path: scratch.path("a.wav")))
        // A target without its output has nothing to record into.
        target.discard()
        await #expect(throws: CaptureError.self) { try await record(into: target, events, in: scratch) }
        #expect(await told.isEmpty)
        #expect(scratch.names == ["store"])
    }

    @Test("Of a recording that nobody reads, the end is kept where one event is, and the rest is lost")
    func unread() async throws {
        let scratch = try Scratch()
        let events = RecordingEvents(keeping: 1)
        let clip = try await record(
            into: RecordingTarget(.file(path: scratch.path("a.wav"))), events, in: scratch)
        let seen = await Self.all(of: events)
        guard seen.count == 1, case .ended(clip, nil, _) = seen[0] else {
            Issue.record("\(seen)")
            return
        }
    }

    @Test("Of those that wait for a reader the oldest are lost, and one is always kept", arguments: [-1, 0, 1, 3, 10])
    func slow(count: Int) async {
        let events = RecordingEvents(keeping: count)
        for number in 1...5 { events.add(.chapter(ClipChapter(at: .seconds(number), title: "\(number)"))) }
        events.end()
        // They are those of one recording: later events are not reported.
        events.add(.chapter(ClipChapter(at: .seconds(6), title: "6")))
        let titles = await Self.all(of: events).compactMap {
            if case .chapter(let chapter) = $0 { chapter.title } else { nil }
        }
        #expect(titles == (1...5).suffix(min(max(count, 1), 5)).map { "\($0)" })
    }
}
