import CaptureBase
import CaptureEncoding
import ClipScenery
import Foundation
import Testing

@Suite("Output")
struct ClipOutputTests {
    private let format = AudioFormat(sampleRate: 8000, channels: 1, sampleFormat: .s16)

    private func writer(_ path: String, replacing: Bool = false) throws -> any ClipWriter {
        let output = try ClipOutput(opening: .file(path: path), replacing: replacing)
        return try ClipFormat(for: .file(path: path)).writer(on: output, tracks: [Recording.track(format)])
    }

    @Test("A clip is partial until it is finished, then has its name alone")
    func rename() throws {
        let scratch = try Scratch()
        let writer = try writer(scratch.path("a.wav"))
        try writer.write(audio: Source.sound(format, frames: 80).span.bytes, at: 0)
        #expect(scratch.names == ["a.wav.partial"])
        let clip = try writer.finish(ledger: LossLedger(), end: .interrupt)
        #expect(scratch.names == ["a.wav"])
        #expect(clip.bytes == Int64(try Scratch.read(scratch.path("a.wav")).count))
        #expect(clip.duration == .nanoseconds(10_000_000) && clip.end == .interrupt)
    }

    @Test("A file that exists is never opened, and not replaced without being told")
    func existing() throws {
        let scratch = try Scratch()
        try scratch.write([1, 2, 3], to: "a.wav")
        let error = try #require(throws: CaptureError.self) { _ = try writer(scratch.path("a.wav")) }
        #expect(error.kind == .fileExists)
        #expect(scratch.names == ["a.wav"])
        _ = try writer(scratch.path("a.wav"), replacing: true).finish(ledger: LossLedger(), end: .complete)
        #expect(try Scratch.read(scratch.path("a.wav")).count > 3)
    }

    @Test("A file that appears while recording is kept, and so is the recording")
    func appearing() throws {
        let scratch = try Scratch()
        let writer = try writer(scratch.path("a.wav"))
        try writer.write(audio: Source.sound(format, frames: 80).span.bytes, at: 0)
        try scratch.write([1, 2, 3], to: "a.wav")
        let error = try #require(throws: CaptureError.self) {
            _ = try writer.finish(ledger: LossLedger(), end: .complete)
        }
        #expect(error.kind == .fileExists)
        #expect(try Scratch.read(scratch.path("a.wav")) == [1, 2, 3])
        #expect(try Scratch.read(scratch.path("a.wav.partial")).count > 160)
    }

    @Test("Discarding, or dropping it before a byte came, leaves nothing")
    func nothingLeft() throws {
        let scratch = try Scratch()
        let written = try writer(scratch.path("a.wav"))
        try written.write(audio: Source.sound(format, frames: 80).span.bytes, at: 0)
        written.discard()
        do { _ = try ClipOutput(opening: .file(path: scratch.path("b.mkv"))) }
        #expect(throws: CaptureError.self) {
            let output = try ClipOutput(opening: .file(path: scratch.path("c.flac")))
            let float = AudioFormat(sampleRate: 8000, channels: 1, sampleFormat: .float32)
            _ = try ClipFormat.flac.writer(on: output, tracks: [Recording.track(float)])
        }
        #expect(scratch.names.isEmpty)
    }

    @Test("Dropping it after data came keeps the partial file")
    func kept() throws {
        let scratch = try Scratch()
        var dropped: (any ClipWriter)? = try writer(scratch.path("a.wav"))
        try dropped?.write(audio: Source.sound(format, frames: 80).span.bytes, at: 0)
        dropped = nil
        #expect(scratch.names == ["a.wav.partial"])
    }

    @Test("A recording that runs can't be written over, even by force")
    func running() throws {
        let scratch = try Scratch()
        let first = try writer(scratch.path("a.wav"))
        let error = try #require(throws: CaptureError.self) { _ = try writer(scratch.path("a.wav"), replacing: true) }
        #expect(error.kind == .busy)
        #expect(error.message.contains("process \(getpid()) ("))
        _ = try first.finish(ledger: LossLedger(), end: .complete)
        #expect(scratch.names == ["a.wav"])
    }

    @Test("An interrupted recording is kept, even from force; an empty one is in nobody's way")
    func leftOver() throws {
        let scratch = try Scratch()
        try scratch.write([7], to: "a.wav.partial")
        for isForced in [false, true] {
            let error = try #require(throws: CaptureError.self) {
                _ = try writer(scratch.path("a.wav"), replacing: isForced)
            }
            #expect(error.kind == .fileExists && error.message.contains("interrupted"))
            #expect(error.remedies.first?.action == .recover(path: scratch.path("a.wav.partial")))
        }
        #expect(try Scratch.read(scratch.path("a.wav.partial")) == [7])
        try scratch.write([], to: "b.wav.partial")
        _ = try writer(scratch.path("b.wav")).finish(ledger: LossLedger(), end: .complete)
        #expect(scratch.names == ["a.wav.partial", "b.wav"])
    }

    @Test("A place that can't be written is told at opening, with the path and the reason")
    func unwritable() throws {
        let scratch = try Scratch()
        for path in [scratch.path("no/such/a.wav"), "/proc/a.wav", "/dev/null/a.wav"] {
            let error = try #require(throws: CaptureError.self) { _ = try writer(path) }
            #expect(error.kind == .inputOutput && error.errno > 0, "\(path)")
            #expect(error.message.contains(path), "\(error.message)")
        }
        #expect(throws: CaptureError.self) { _ = try ClipOutput(opening: .file(path: scratch.folder)) }
        #expect(throws: CaptureError.self) { _ = try ClipOutput(opening: .file(path: "")) }
        #expect(throws: CaptureError.self) { _ = try ClipOutput(opening: .file(path: "/dev/null"), replacing: true) }
    }

    @Test("null: counts and keeps nothing")
    func nothing() throws {
        let writer = try ClipFormat.nothing.writer(
            on: ClipOutput(opening: .nothing), tracks: [Recording.track(format), Recording.track(Source.video(.yuyv))])
        try writer.write(audio: Source.sound(format, frames: 80).span.bytes, at: 0)
        try writer.write(video: Source.picture(Source.video(.yuyv)).span.bytes, at: 40_000_000)
        let clip = try writer.finish(ledger: LossLedger(), end: .complete)
        #expect(clip.path == "null:" && clip.bytes == 160 + 64 * 48 * 2)
        #expect(writer.counts(of: 0).frames == 80 && writer.counts(of: 1).frames == 1)
        #expect(clip.duration == .nanoseconds(73_333_333))
    }
}
