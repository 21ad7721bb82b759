import CaptureBase
import ClipScenery
import Foundation
import Testing

@testable import CaptureEncoding

@Suite("Mix of microphones")
struct MixTests {
    private typealias Tests = AudioConversionTests

    private static let mono = AudioFormat(sampleRate: 48_000, channels: 1, sampleFormat: .s16)
    private static let mix = AudioConversion(mixesMicrophones: true)

    private static func constant(_ value: Int16, _ frames: Int) -> [UInt8] {
        [Int16](repeating: value, count: frames).withUnsafeBytes { Array($0) }
    }

    private static func write(_ value: Int16, _ frames: Int, to writer: any ClipWriter, _ track: Int, at frame: Int)
        throws
    {
        let bytes = constant(value, frames)
        try writer.write(bytes.span.bytes, to: track, at: Recording.time(frame, mono))
    }

    @Test("Each has the same weight, and full scale of all is full scale")
    func weights() throws {
        for (values, expected) in [([300, 600, 900], 600), ([32_767, 32_767, 32_767], 32_767), ([3, 0, 0], 1)]
            as [([Int16], Int16)]
        {
            let (writer, memory) = try Tests.open(Self.mix, ["a", "b", "c"].map { Tests.track($0, Self.mono) })
            for (track, value) in values.enumerated() { try Self.write(value, 480, to: writer, track, at: 0) }
            let clip = try writer.finish(ledger: Tests.ledger([480, 480, 480]), end: .complete)
            #expect(
                memory.tracks.count == 1 && memory.tracks[0].name == "a + b + c"
                    && memory.tracks[0].device == "a-1+b-1+c-1")
            #expect(memory.shorts() == [Int16](repeating: expected, count: 480))
            #expect(clip.tracks.map(\.name) == ["a", "b", "c"] && clip.ledger.tracks.map(\.frames) == [480, 480, 480])
        }
    }

    @Test("Tracks come in turns, and meet by the clip's time")
    func turns() throws {
        let (writer, memory) = try Tests.open(Self.mix, [Tests.track("a", Self.mono), Tests.track("b", Self.mono)])
        // The first is 900 frames ahead at times, the second begins 100 frames later.
        try Self.write(200, 1000, to: writer, 0, at: 0)
        #expect(memory.bytes[0].isEmpty)
        try Self.write(400, 50, to: writer, 1, at: 100)
        #expect(memory.shorts() == [Int16](repeating: 100, count: 100) + [Int16](repeating: 300, count: 50))
        try Self.write(400, 850, to: writer, 1, at: 150)
        try Self.write(600, 500, to: writer, 0, at: 1000)
        #expect(memory.shorts().count == 1000 && memory.times[0] == [0, Recording.time(150, Self.mono)])
        _ = try writer.finish(ledger: Tests.ledger([1500, 900]), end: .complete)
        // The second has ended, and counts as silence.
        #expect(memory.shorts().suffix(500) == ArraySlice([Int16](repeating: 300, count: 500)))
        #expect(memory.shorts().count == 1500)
    }

    @Test("It does not wait for ever for one that delivers nothing, and counts what comes too late")
    func absent() throws {
        let (writer, memory) = try Tests.open(Self.mix, [Tests.track("a", Self.mono), Tests.track("b", Self.mono)])
        for second in 0..<8 { try Self.write(1000, 48_000, to: writer, 0, at: second * 48_000) }
        #expect(memory.shorts() == [Int16](repeating: 500, count: 3 * 48_000))
        #expect(writer.pendingBytes == Int64(7 + 5 * 48_000 * 2))
        try Self.write(1000, 4 * 48_000, to: writer, 1, at: 0)
        let clip = try writer.finish(ledger: Tests.ledger([8 * 48_000, 4 * 48_000]), end: .complete)
        let out = memory.shorts()
        #expect(
            out[3 * 48_000] == 1000 && out[4 * 48_000 - 1] == 1000 && out[4 * 48_000] == 500 && out.count == 8 * 48_000)
        #expect(clip.ledger.tracks.map(\.lost.encoder) == [0, 3 * 48_000])
        #expect(clip.ledger.tracks.map(\.frames) == [8 * 48_000, 48_000])
    }

    @Test("Others are brought to the first one's rate, sample format and channels")
    func formats() throws {
        let other = AudioFormat(sampleRate: 44_100, channels: 1, sampleFormat: .float32)
        let (writer, memory) = try Tests.open(Self.mix, [Tests.track("a"), Tests.track("b", other)])
        let tone = (0..<44_100).map { Float(0.5 * sin(2 * .pi * 440 * Double($0) / 44_100)) }
        try Tests.write(tone.withUnsafeBytes { Array($0) }, other, to: writer, track: 1)
        try Tests.write([UInt8](repeating: 0, count: 4 * 48_000), Tests.stereo, to: writer)
        _ = try writer.finish(ledger: Tests.ledger([48_000, 44_100]), end: .complete)
        #expect(memory.tracks[0].audio == Tests.stereo && memory.shorts().count == 96_000)
        for frame in stride(from: 1000, to: 47_000, by: 97) {
            let ideal = 0.25 * 32_768 * sin(2 * .pi * 440 * Double(frame) / 48_000)
            #expect(abs(Double(memory.shorts()[2 * frame]) - ideal) <= 1)
            #expect(memory.shorts()[2 * frame] == memory.shorts()[2 * frame + 1])
        }
    }

    @Test("Channels that do not fit together are wrong usage, unless they are mixed to one")
    func channels() throws {
        let four = AudioFormat(sampleRate: 48_000, channels: 4, sampleFormat: .s16)
        let error = #expect(throws: CaptureError.self) {
            try Tests.open(Self.mix, [Tests.track("a"), Tests.track("b", four)])
        }
        #expect(error?.kind == .usage && error?.message.contains("b has 4 channels") == true)
        let (writer, memory) = try Tests.open(
            AudioConversion(channels: .mono, mixesMicrophones: true), [Tests.track("a"), Tests.track("b", four)])
        #expect(memory.tracks.map(\.audio?.channels) == [1] && writer.tracks.count == 2)
    }

    @Test("In a clip with pictures the mix stands in the first microphone's place, and the ledger fits")
    func places() throws {
        let video = Recording.track(Source.video(.yuyv))
        let (writer, memory) = try Tests.open(
            Self.mix, [video, Tests.track("a", Self.mono), Tests.track("b", Self.mono)])
        #expect(memory.tracks.map(\.kind) == [.video, .audio])
        try Self.write(10, 480, to: writer, 1, at: 0)
        try Self.write(20, 480, to: writer, 2, at: 0)
        var ledger = Tests.ledger([0, 480, 480])
        ledger.tracks[0] = TrackLedger(kind: .video, name: "cam", device: "cam-1")
        ledger.tracks[1].lost.xrun = 5
        ledger.tracks[2].lost.xrun = 7
        try writer.finishSegments { ledger }
        #expect(memory.segmentLedger?.tracks.map(\.kind) == [.video, .audio])
        #expect(memory.segmentLedger?.tracks[1].lost.xrun == 12 && memory.segmentLedger?.tracks[1].frames == 480)
        let clip = try writer.finish(ledger: ledger, end: .complete)
        #expect(
            clip.ledger.tracks.map(\.lost.xrun) == [0, 5, 7] && clip.tracks.map(\.kind) == [.video, .audio, .audio])
        #expect(writer.storedTracks.map(\.name) == [Recording.camera, "a", "b"])
    }
}
