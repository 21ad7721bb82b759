import CaptureBase
import ClipScenery
import Foundation
import Testing

@testable import CaptureEncoding

@Suite("Writer that converts audio")
struct ConversionWriterTests {
    private typealias Tests = AudioConversionTests

    @Test("Video passes untouched, and everything else reaches the writer behind")
    func passedOn() throws {
        let video = Recording.track(Source.video(.yuyv))
        let (writer, memory) = try Tests.open(AudioConversion(gain: 3), [video, Tests.track("mic")])
        let picture = [UInt8](repeating: 9, count: 64 * 48 * 2)
        try writer.write(picture.span.bytes, to: 0, at: 40_000_000)
        try writer.fill(picture.span.bytes, to: 0, at: 80_000_000, times: 2)
        writer.extend(to: 123)
        #expect(memory.bytes[0] == picture + picture + picture && memory.times[0].first == 40_000_000)
        #expect(memory.extended == 123 && writer.isBusy && writer.isSegmentOver && writer.pendingBytes == 7)
        #expect(writer.leftOut(of: 1) == 2 && writer.counts(of: 0).skipped == 1 && writer.format == .matroska)
        #expect(writer.bytesWritten == Int64(3 * picture.count) && writer.storedTracks == [video, Tests.track("mic")])
        writer.discard()
        #expect(memory.isDiscarded)
    }

    @Test("Bytes that are no whole frames are wrong usage, and so is a track that is not there")
    func usage() throws {
        let (writer, _) = try Tests.open(AudioConversion(gain: 3), [Tests.track("mic")])
        for (count, track) in [(3, 0), (4, 1)] {
            let bytes = [UInt8](repeating: 0, count: count)
            let error = #expect(throws: CaptureError.self) { try writer.write(bytes.span.bytes, to: track, at: 0) }
            #expect(error?.kind == .usage)
        }
    }

    @Test("The bytes that are in the filter are announced, and come at the end")
    func pending() throws {
        let (writer, memory) = try Tests.open(AudioConversion(sampleRate: 16_000), [Tests.track("mic")])
        let sound = [UInt8](repeating: 1, count: 4 * 4800)
        try writer.write(sound.span.bytes, to: 0, at: 0)
        let (before, pending) = (memory.bytes[0].count, Int(writer.pendingBytes) - 7)
        _ = try writer.finish(ledger: Tests.ledger([4800]), end: .complete)
        #expect(pending > 0 && memory.bytes[0].count == before + pending && memory.bytes[0].count == 4 * 1600)
    }

    // MARK: Ledger

    /// Ledger of 48000 frames, all causes told apart.
    private var losses: TrackLedger {
        var track = TrackLedger(kind: .audio, name: "mic", device: "mic-1")
        track.lost.xrun = 480
        track.lost.device = 31
        track.filled = 511
        track.corrected = -9
        track.delivered = 48_000 - 511 + 9
        track.asked = track.delivered + track.lost.total
        track.marks = [
            LossEvent(atNanoseconds: 5_000_000, frames: 480), LossEvent(atNanoseconds: 9_000_000, frames: 1),
        ]
        (track.firstNanoseconds, track.lastNanoseconds) = (0, 999_979_166)
        track.xruns = 2
        return track
    }

    @Test("The ledger counts in frames of the file, and its sum is what the file has")
    func ledger() throws {
        let (writer, memory) = try Tests.open(AudioConversion(sampleRate: 16_000), [Tests.track("mic")])
        try Tests.write([UInt8](repeating: 0, count: 4 * 48_000), Tests.stereo, to: writer)
        try writer.finishSegments { LossLedger(tracks: [losses]) }
        let clip = try writer.finish(ledger: LossLedger(tracks: [losses]), end: .complete)
        let track = try #require(clip.ledger.tracks.first)
        #expect(memory.bytes[0].count == 4 * 16_000 && track.frames == 16_000)
        #expect(track.lost.xrun == 160 && track.lost.device == 10 && track.filled == 170 && track.corrected == -3)
        #expect(track.asked == track.delivered + 170 && track.xruns == 2)
        #expect(track.marks?.map(\.frames) == [160, 1] && track.marks?.map(\.atNanoseconds) == [5_000_000, 9_000_000])
        #expect(track.firstNanoseconds == 0 && track.lastNanoseconds == 999_937_500)
        #expect(memory.segmentLedger?.tracks[0].lost.xrun == 160 && memory.segmentLedger?.tracks[0].frames == 16_000)
    }

    @Test("With the rate as it is the ledger stays as it is")
    func sameRate() throws {
        let (writer, _) = try Tests.open(AudioConversion(channels: .mono), [Tests.track("mic")])
        try Tests.write([UInt8](repeating: 0, count: 4 * 48_000), Tests.stereo, to: writer)
        #expect(try writer.finish(ledger: LossLedger(tracks: [losses]), end: .complete).ledger.tracks == [losses])
    }

    @Test("Where the output is full the ledger has no more than was stored")
    func full() throws {
        let (writer, memory) = try Tests.open(AudioConversion(sampleRate: 16_000), [Tests.track("mic")])
        memory.room = 4000
        #expect(throws: CaptureError.self) {
            try Tests.write([UInt8](repeating: 0, count: 4 * 48_000), Tests.stereo, to: writer)
        }
        memory.room = 0
        let clip = try writer.finish(ledger: LossLedger(tracks: [losses]), end: .diskFull)
        #expect(clip.ledger.tracks[0].frames == UInt64(memory.bytes[0].count / 4))
        #expect(clip.ledger.tracks[0].frames > 3000)
    }
}
