import CaptureGate
import ClipScenery
import GateTestKit
import Testing

@testable import CaptureRecording

@Suite("Recordings in a program's own codecs and container", .timeLimit(.minutes(2)))
struct OwnFormatRecordingTests {
    private static func settings(rate: Int) -> RecorderSettings {
        var settings = RecorderSettings()
        settings.audio = AudioSettings(sampleRate: rate, channels: 1, sampleFormat: .s16)
        settings.video = VideoSettings(width: 320, height: 240, frameRate: FrameRate(25))
        settings.encoders.own = PacketLines.encoders
        return settings
    }

    @Test("Segments are cut in each track at the same moment, are whole, and account for their own frames")
    func segments() async throws {
        let scratch = try Scratch()
        let path = scratch.path("a.lines")
        let clip = try await withPermit(for: [Capability.bars(), Capability.tone()], in: scratch) {
            permit async throws(CaptureError) in
            let target = try PacketLines.target(path, segment: .milliseconds(400))
            return try await Recorder(opening: permit, settings: Self.settings(rate: 8000))
                .record(into: target, for: .seconds(1))
        }
        #expect(clip.end == .complete && clip.format == .own)
        #expect(abs(clip.duration.exactNanoseconds - 1_000_000_000) < 1000)
        #expect(clip.segments.map(\.start) == [0, 400, 800].map { .milliseconds($0) })
        let sound = try #require(clip.tracks.firstIndex { $0.kind == .audio })
        let parts = try clip.segments.map { try PacketLinesFile(reading: $0.path) }
        for (part, milliseconds) in zip(parts, [400, 400, 200] as [Int64]) {
            #expect(part.isWhole && part.end == "complete")
            try expectWhole(part, lasting: milliseconds * 1_000_000, sound: sound)
        }
        for (index, track) in clip.ledger.tracks.enumerated() {
            let own = parts.map { $0.ledger.tracks[index] }
            #expect(own.reduce(0) { $0 + $1.frames } == track.frames)
            #expect(own.reduce(0) { $0 + $1.lost.total } == track.lost.total)
        }
        #expect(clip.ledger.tracks[sound].frames == 8000)
        #expect(scratch.names == (1...3).map { "a-000\($0).lines" } + ["store"])
        if clip.ledger.totalLost == 0 { #expect(parts.map { $0.packets(of: 1 - sound).count } == [10, 10, 5]) }
    }

    /// Both tracks begin and end with the part, and have the frames that its ledger says.
    private func expectWhole(_ part: PacketLinesFile, lasting length: Int64, sound: Int) throws {
        let periods = part.packets(of: sound)
        #expect(periods.first?.time == 0 && periods.last.map { abs($0.end - length) <= 1 } == true)
        let frames = periods.reduce(0) { $0 + $1.samples.count }
        #expect(Int64(frames) == length * 8000 / 1_000_000_000)
        #expect(part.ledger.tracks[sound].frames == UInt64(frames))
        let pictures = part.packets(of: 1 - sound)
        // A frame lasts 40 ms, and is on the side of a cut on which most of it is.
        #expect(pictures.allSatisfy { (0..<length - 20_000_000).contains($0.time) })
        #expect(part.ledger.tracks[1 - sound].frames == UInt64(pictures.count))
    }

    /// On the paced PCM of `Tests/PacedPCM`, which is unplugged after half a second and is back at the next opening.
    @Test("A microphone that was unplugged goes on in the same file, and silence is where the ledger has the gap")
    func absence() async throws {
        let scratch = try Scratch()
        let microphone = Capability.Microphone(.record, device: .id("alsa:paced_vanish"), purpose: "Test")
        let gatekeeper = try Gatekeeper.system(
            storeIn: scratch.path("store"), prompter: ScriptedPrompter([.allow(.always)]), as: .rig)
        let path = scratch.path("a.lines")
        let clip = try await GateQueue(gatekeeper: gatekeeper).run(
            PermitWork(authorization: AuthorizedFor(Capability.All(microphone.requests))) {
                permit async throws(CaptureError) in
                var settings = Self.settings(rate: 48_000)
                (settings.reattach, settings.onLoss) = (.seconds(60), .mark)
                let control = try RecordingControl()
                return try await Recorder(opening: permit, settings: settings)
                    .record(into: PacketLines.target(path), for: .seconds(60), control: control) { event in
                        // The gap is reported when it is over: later frames are in the clip.
                        if case .lost = event { control.stop() }
                    }
            })
        #expect(clip.end == .interrupt && clip.segments.isEmpty)
        let file = try PacketLinesFile(reading: path)
        #expect(file.isWhole && file.end == "interrupt")
        #expect(file.ledger.tracks.map(\.marks) == clip.ledger.tracks.map(\.marks))
        let packets = file.packets(of: 0)
        #expect(zip(packets, packets.dropFirst()).allSatisfy { abs($1.time - $0.end) <= 1 })
        try expectGap(packets.flatMap(\.samples), clip.ledger.tracks[0])
        #expect(scratch.names == ["a.lines", "store"])
    }

    private func expectGap(_ samples: [Int16], _ ledger: TrackLedger) throws {
        let marks = try #require(ledger.marks)
        let gap = try #require(marks.first)
        #expect(marks.count == 1 && ledger.lost.device == gap.frames && ledger.filled == gap.frames)
        #expect(samples.count == Int(ledger.frames))
        let start = Int((gap.at.exactNanoseconds * 48_000 + 500_000_000) / 1_000_000_000)
        let end = start + Int(gap.frames)
        try #require(start > 0 && end < samples.count)
        #expect(samples[start..<end].allSatisfy { $0 == 0 })
        #expect(areNeighbours(samples[..<start]) && areNeighbours(samples[end...]))
    }

    /// True for samples that follow each other in the paced PCM: 8 · 2654435761 apart, of which 16 bits are left.
    private func areNeighbours(_ samples: ArraySlice<Int16>) -> Bool {
        zip(samples, samples.dropFirst()).allSatisfy { [61_883, 61_884].contains(UInt16(bitPattern: $1 &- $0)) }
    }
}
