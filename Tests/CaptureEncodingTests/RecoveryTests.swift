import CCodecs
import CaptureBase
import CaptureEncoding
import ClipScenery
import Testing

@Suite("Recovery")
struct RecoveryTests {
    private func recover(_ bytes: [UInt8], _ kind: Interrupted, _ scratch: Scratch) throws -> RecoveryReport {
        try scratch.write(bytes, to: "a\(kind.ending).partial")
        return try ClipRecovery(of: scratch.path("a\(kind.ending).partial"), replacing: true).run()
    }

    @Test(
        "What is whole but for its end is finished without a loss, and takes the recording's place",
        arguments: Interrupted.allCases)
    func whole(kind: Interrupted) throws {
        let scratch = try Scratch()
        let (interrupted, _) = try kind.bytes(scratch)
        let report = try recover(interrupted, kind, scratch)
        #expect(report.isComplete && report.isSourceRemoved && report.sourceBytes == Int64(interrupted.count))
        #expect(!scratch.names.contains { $0.hasPrefix("a.") && $0.hasSuffix("partial") })
        #expect(!scratch.names.contains { $0.hasSuffix(".recovering") })
        #expect(report.bytes == Int64(try Scratch.read(report.path).count))
        #expect(try kind.judge(report.path, scratch) == nil)
        // MJPEG has no times.
        let least: Int64 = kind == .mjpeg ? 0 : 2_000_000_000
        #expect((least...3_000_000_000).contains(report.duration.exactNanoseconds), "\(report.duration)")
    }

    @Test(
        "Formats without an end of their own become what a finished recording is, byte by byte",
        arguments: [Interrupted.wav, .y4m, .mjpeg])
    func same(kind: Interrupted) throws {
        let scratch = try Scratch()
        let (interrupted, finished) = try kind.bytes(scratch)
        let report = try recover(interrupted, kind, scratch)
        let kept = try Scratch.read(report.path)
        // The last quarter of a second of a WAV was not written yet.
        #expect(kind == .wav ? finished[80...].starts(with: kept[80...]) : kept == finished)
    }

    @Test("A finished recording that only lacks its name loses nothing", arguments: Interrupted.allCases)
    func unnamed(kind: Interrupted) throws {
        let scratch = try Scratch()
        let (_, finished) = try kind.bytes(scratch)
        let report = try recover(finished, kind, scratch)
        #expect(report.isComplete && report.isSourceRemoved, "\(report.losses)")
        #expect(try kind.judge(report.path, scratch) == nil)
        if kind != .mjpeg {
            #expect(abs(report.duration.exactNanoseconds - 3_000_000_000) < 1000, "\(report.duration)")
        }
        let exact: Set<Interrupted> = [.wav, .flac, .y4m, .mjpeg]
        if exact.contains(kind) { #expect(try Scratch.read(report.path) == finished) }
    }

    @Test(
        "Cut anywhere, it loses less than a second before the cut, and no judge finds a fault",
        arguments: Interrupted.allCases)
    func cut(kind: Interrupted) throws {
        let scratch = try Scratch()
        let whole = try kind.bytes(scratch).interrupted
        var random = SystemRandomNumberGenerator.Seeded(UInt64(kind.rawValue.utf8.reduce(0) { $0 + Int($1) }))
        // Ahead of its first fragment an MP4 is the room for its index.
        let least = max(whole.count / 4, whole.places(of: Array("moof".utf8)).first ?? 0)
        for _ in 0..<6 {
            let length = Int.random(in: least...whole.count, using: &random)
            let report = try recover(Array(whole[..<length]), kind, scratch)
            #expect(try kind.judge(report.path, scratch) == nil, "cut at \(length)")
            let expected = 3.0 * Double(length) / Double(whole.count)
            let kept =
                kind == .mjpeg
                ? Double(report.tracks[0].frames) / 25 : Double(report.duration.exactNanoseconds) / 1e9
            #expect(kept > expected - 1, "cut at \(length): \(kept) s of \(expected) s")
            #expect(report.losses.allSatisfy { $0.reason == .tornEnd })
            #expect(report.lostBytes < Int64(length) / 2)
            #expect(report.isSourceRemoved == (report.lostBytes == 0))
        }
    }

    @Test(
        "A damaged piece costs a second at most, the rest is whole, and the interrupted file is kept",
        arguments: [Interrupted.flac, .opus])
    func damaged(kind: Interrupted) throws {
        let scratch = try Scratch()
        let whole = try kind.bytes(scratch).interrupted
        for place in 1...4 {
            var bytes = whole
            let start = whole.count * place / 6
            for index in start..<start + 40 { bytes[index] = UInt8(truncatingIfNeeded: index &* 31 | 1) }
            let report = try recover(bytes, kind, scratch)
            #expect(try kind.judge(report.path, scratch) == nil, "damaged at \(start)")
            let lost = Double(report.lostBytes) / Double(whole.count) * 3
            #expect(lost < 1.1, "\(lost) s at \(start)")
            #expect(report.duration.exactNanoseconds >= 2_400_000_000 && report.silenced > .zero, "\(report)")
            #expect(report.lostBytes > 0 && !report.isSourceRemoved)
            #expect(try Scratch.read(report.source) == bytes)
        }
    }

    @Test(
        "A damaged cluster or block of Matroska costs what is left of its second",
        arguments: [Interrupted.pictureAndSound, .opusInMatroska], [0, 12, 16, 22, 24, 26])
    func damagedCluster(kind: Interrupted, place: Int) throws {
        let scratch = try Scratch()
        var bytes = try kind.bytes(scratch).interrupted
        let cluster = try #require(bytes.places(of: [0x1F, 0x43, 0xB6, 0x75]).dropFirst().first)
        bytes[cluster + place] = 0x7F
        let report = try recover(bytes, kind, scratch)
        #expect(try kind.judge(report.path, scratch) == nil)
        #expect(report.duration.exactNanoseconds > 1_900_000_000 && report.tracks.allSatisfy { $0.frames > 0 })
        // The time of a cluster, of 8 bytes from 14 on, is known from the part before.
        #expect(place == 16 || report.lostBytes > 0)
        let frames = report.tracks[0].kind == .video ? report.tracks[0].frames : report.tracks[0].frames / 1920
        #expect(frames >= 30, "\(frames) of 75")
    }

    @Test("Sound that was written behind later pictures, as of a microphone that was away, stays where it was")
    func late() throws {
        let scratch = try Scratch()
        let interrupted = try Interrupted.lateSound(scratch)
        let report = try recover(interrupted, .pictureAndSound, scratch)
        #expect(report.isComplete && report.duration == .nanoseconds(6_000_000_000), "\(report)")
        try scratch.write(interrupted, to: "before.mkv")
        let before = try packetTimes(scratch.path("before.mkv"), scratch)
        #expect(try packetTimes(report.path, scratch) == before && before.count >= 200, "\(before.count)")
    }

    @Test(
        "A damaged scale of a recording of ours moves nothing, nor does the damaged time of a cluster what follows it")
    func damagedTimes() throws {
        let scratch = try Scratch()
        let whole = try Interrupted.lateSound(scratch)
        try scratch.write(whole, to: "before.mkv")
        let before = try packetTimes(scratch.path("before.mkv"), scratch)
        // TimestampScale of two bytes, and the eight bytes of a cluster's Timestamp.
        let scale = try #require(whole.places(of: [0x2A, 0xD7, 0xB1]).first)
        let cluster = try #require(whole.places(of: [0x1F, 0x43, 0xB6, 0x75]).dropFirst(2).first)
        for (place, moved) in [(scale + 4, 0), (cluster + 17, 27)] {
            var bytes = whole
            bytes[place] ^= 0x80
            let report = try recover(bytes, .pictureAndSound, scratch)
            let times = try packetTimes(report.path, scratch)
            #expect(report.isComplete && times.count == before.count)
            #expect(before.filter { !times.contains($0) }.count <= moved, "byte \(place)")
        }
    }

    private func packetTimes(_ path: String, _ scratch: Scratch) throws -> [Substring] {
        let entries = "packet=stream_index,pts_time"
        return try Tool.text(
            "ffprobe", ["-v", "error", "-show_entries", entries, "-of", "csv=p=0", path], in: scratch
        ).split(separator: "\n")
    }

    @Test(
        "A page of Opus whose place can't be, behind a damaged one, keeps its sound and moves nothing",
        arguments: [Int64.min, .max], [false, true])
    func impossiblePlace(granule: Int64, isLast: Bool) throws {
        let scratch = try Scratch()
        var bytes = try Interrupted.opus.bytes(scratch).finished
        let pages = bytes.places(of: Array("OggS".utf8))
        let page = try #require(isLast ? pages.last : pages.dropFirst(3).first)
        if let damaged = pages.last(where: { $0 < page }) { bytes[damaged + 60] ^= 0xFF }
        for byte in 0..<8 { bytes[page + 6 + byte] = UInt8(truncatingIfNeeded: granule >> (8 * Int64(byte))) }
        sign(&bytes, page: page)
        let report = try recover(bytes, .opus, scratch)
        #expect(report.losses.map(\.reason) == [.damaged] && report.silenced == .zero)
        #expect((1_000_000_000..<3_000_000_000).contains(report.duration.exactNanoseconds), "\(report)")
        #expect(try Interrupted.opus.judge(report.path, scratch) == nil)
    }

    /// Puts the checksum that is right into a page of Ogg.
    private func sign(_ bytes: inout [UInt8], page: Int) {
        let head = 27 + Int(bytes[page + 26])
        let count = head + bytes[page + 27..<page + head].reduce(0) { $0 + Int($1) }
        bytes.withUnsafeMutableBufferPointer { bytes in
            if let start = bytes.baseAddress { cc_ogg_checksum(start + page, head, count) }
        }
    }

    @Test("A clip that takes the interrupted file's own place is not removed", arguments: ["", "./"])
    func ownPlace(folder: String) throws {
        let scratch = try Scratch()
        try scratch.write(Interrupted.wav.bytes(scratch).interrupted, to: "a.wav.partial")
        let place = scratch.path(folder + "a.wav.partial")
        let report = try ClipRecovery(of: scratch.path("a.wav.partial"), to: place, replacing: true).run()
        #expect(report.isComplete && !report.isSourceRemoved)
        #expect(try Int64(Scratch.read(place).count) == report.bytes)
    }

    @Test("A damaged picture of a stream is left out, and its neighbours stay")
    func damagedPicture() throws {
        let scratch = try Scratch()
        var bytes = try Interrupted.mjpeg.bytes(scratch).interrupted
        let starts = bytes.places(of: [0xFF, 0xD8, 0xFF])
        bytes[starts[10] + 1] = 0
        bytes[starts[21] - 1] = 0
        let report = try recover(bytes, .mjpeg, scratch)
        #expect(report.tracks[0].frames == 73 && report.losses.map(\.reason) == [.damaged, .damaged])
        #expect(report.losses.map(\.offset) == [Int64(starts[10]), Int64(starts[20])])
        #expect(try Interrupted.mjpeg.judge(report.path, scratch) == nil)
    }

    @Test(
        "No cut and no changed byte makes it trap, and what it makes can be recovered again",
        arguments: Interrupted.allCases)
    func fuzz(kind: Interrupted) throws {
        try RecoveryFuzz(kind).run(rounds: 40)
    }

    @Test("What fuzzing has found before is recovered or refused as it was", arguments: RecoveryFuzz.corpus.names)
    func replay(name: String) throws {
        let ending = "." + (name.split(separator: ".").last.map(String.init) ?? "")
        let bytes = try RecoveryFuzz.corpus.bytes(of: name)
        _ = try RecoveryFuzz.check(bytes, ending, in: Scratch(), name)
    }

    @Test("The corpus is there") func corpus() { #expect(!RecoveryFuzz.corpus.names.isEmpty) }

    @Test("Bytes of no sense behind each format's first ones are refused or make a file, and never trap")
    func senseless() throws {
        let scratch = try Scratch()
        var random = SystemRandomNumberGenerator.Seeded(11)
        let magics: [[UInt8]] = [
            Array("RIFF".utf8), Array("RF64".utf8), Array("fLaC".utf8), Array("OggS".utf8), [0x1A, 0x45, 0xDF, 0xA3],
            Array("YUV4MPEG2 ".utf8), [0xFF, 0xD8, 0xFF], [0, 0, 0, 24] + Array("ftyp".utf8),
        ]
        for magic in magics {
            for length in [0, 1, 20, 300, 5000] {
                let bytes = magic + (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
                try scratch.write(bytes, to: "a.bin")
                do {
                    _ = try ClipRecovery(of: scratch.path("a.bin"), to: scratch.path("b.bin"), replacing: true).run()
                } catch {
                    #expect(error.kind == .badInput && !error.message.isEmpty, "\(error)")
                }
                #expect(try Scratch.read(scratch.path("a.bin")) == bytes)
                #expect(!scratch.names.contains { $0.hasSuffix(".recovering") })
            }
        }
    }

    @Test("Title, grant and devices of a Matroska file outlive its recorder")
    func tags() throws {
        let scratch = try Scratch()
        let report = try recover(Interrupted.pictureAndSound.bytes(scratch).interrupted, .pictureAndSound, scratch)
        let tags = try Tool.text(
            "ffprobe", ["-v", "error", "-show_entries", "format_tags:stream_tags", "-of", "default=nw=1", report.path],
            in: scratch)
        for tag in [
            "TAG:title=Lost power", "TAG:GRANT=17", "TAG:END_REASON=failure", "TAG:RECOVERED=yes",
            "TAG:DEVICE_ID=cam-1",
            "TAG:DEVICE_ID=mic-1", "TAG:title=Test camera",
        ] { #expect(tags.lowercased().contains(tag.lowercased()), "\(tag) is not in \(tags)") }
        #expect(report.tracks.map(\.name) == ["Test camera", "Test microphone"])
    }

    @Test("A recording that runs, a missing one and an existing clip are left alone")
    func refused() throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 8000, channels: 1, sampleFormat: .s16)
        let writer = try ClipFormat.wav.writer(
            on: ClipOutput(opening: .file(path: scratch.path("a.wav"))), tracks: [Recording.track(format)])
        try writer.write(audio: Source.sound(format, frames: 8000).span.bytes, at: 0)
        let busy = try #require(throws: CaptureError.self) { try ClipRecovery(of: scratch.path("a.wav")) }
        #expect(busy.kind == .busy)
        try scratch.write(Scratch.read(scratch.path("a.wav.partial")), to: "b.wav.partial")
        _ = try writer.finish(ledger: LossLedger(), end: .complete)
        try scratch.write([1], to: "b.wav")
        let exists = try #require(throws: CaptureError.self) { try ClipRecovery(of: scratch.path("b.wav")).run() }
        #expect(exists.kind == .fileExists)
        #expect(try Scratch.read(scratch.path("b.wav")) == [1])
        let report = try ClipRecovery(of: scratch.path("b.wav"), to: scratch.path("c.wav")).run(removingSource: false)
        #expect(!report.isSourceRemoved && scratch.names.contains("b.wav.partial") && scratch.names.contains("c.wav"))
        for path in ["none.wav.partial", "none.wav"] {
            let none = try #require(throws: CaptureError.self) { try ClipRecovery(of: scratch.path(path)) }
            #expect(none.kind == .badInput)
        }
    }
}
