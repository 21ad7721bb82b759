import CaptureBase
import ClipScenery
import Foundation
import Testing

@testable import CaptureEncoding

/// Codec that turns every bit over.
private final class Inverter: TrackEncoder {
    let description = CodecDescription(matroskaID: "V_INVERTED", privateBytes: [1, 2, 3])
    private(set) var counts = EncoderCounts()
    private let track: ClipTrack

    init(_ track: ClipTrack) { self.track = track }

    func begin() {}

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        let duration = track.nanoseconds(ofFrames: Int64(try track.frames(in: data)))
        try packets.append(capacity: data.byteCount, at: nanoseconds, lasting: duration) { room in
            for index in 0..<data.byteCount { room[index] = ~data.unsafeLoad(fromByteOffset: index, as: UInt8.self) }
            return data.byteCount
        }
        counts.frames += UInt64(try track.frames(in: data))
        counts.packets += 1
        counts.bytes += UInt64(data.byteCount)
    }

    func finish(into packets: inout PacketBuffer) {}
}

/// Container of lines: a head with a total, a packet each, and a tail.
private final class Lines: ClipContainer {
    /// Number of bytes by which the second head is longer.
    private let growth: Int
    /// Tracks that it holds.
    private let most: Int

    init(growth: Int = 0, most: Int = 2) { (self.growth, self.most) = (growth, most) }

    func head(of file: ContainerFile) throws(CaptureError) -> [UInt8] {
        guard file.tracks.count <= most else { throw CaptureError(.usage, "Lines hold \(most) tracks.") }
        let total = file.result == nil ? "?" : "\(file.packetBytes)"
        let codecs = file.tracks.map(\.codec.matroskaID).joined(separator: ",")
        let padding = String(repeating: ".", count: 12 - total.count + (file.result == nil ? 0 : growth))
        return Array("LINES \(total)\(padding) \(codecs)\n".utf8)
    }

    func store(_ packet: ContainerPacket, _ data: RawSpan, in bytes: inout [UInt8]) throws(CaptureError) {
        let sum = data.withUnsafeBytes { $0.reduce(0) { $0 &+ Int($1) } }
        bytes += Array(
            "\(packet.track) \(Int(packet.time / .milliseconds(1))) \(Int(packet.duration / .milliseconds(1))) \(packet.isKey) \(sum)\n"
                .utf8)
    }

    func tail(of file: ContainerFile) -> [UInt8] {
        Array("END \(file.duration) \(file.chapters.count) \(file.result.map { "\($0.end)" } ?? "?")\n".utf8)
    }
}

@Suite("Codecs and containers of a program's own")
struct OwnFormatTests {
    private static let picture = Source.video(.grey, 4, 2, rate: 10)
    private static let sound = AudioFormat(sampleRate: 1000, channels: 1, sampleFormat: .s16)
    private var settings: EncoderSettings {
        var settings = EncoderSettings()
        settings.own = OwnEncoders { track in track.kind == .video ? Inverter(track) : nil }
        settings.audioCodec = .pcm
        return settings
    }

    private func lines(_ scratch: Scratch, _ name: String) throws -> [String] {
        String(decoding: try Scratch.read(scratch.path(name)), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func writer(_ scratch: Scratch, _ container: @escaping @Sendable () -> any ClipContainer) throws
        -> any ClipWriter
    {
        try OwnContainer("Lines", container).writer(
            on: ClipOutput(opening: .file(path: scratch.path("a.lines"))),
            tracks: [Recording.track(Self.picture), Recording.track(Self.sound)], settings: settings)
    }

    @Test(
        "A file has its head, every packet by the program's codec or the settings', its tail, and the total in its head"
    )
    func whole() throws {
        let scratch = try Scratch()
        let writer = try writer(scratch) { Lines() }
        for number in 0..<20 {
            let frame = [UInt8](repeating: 255 - UInt8(number), count: 8)
            let period = [UInt8](repeating: 1, count: 200)
            try writer.write(video: frame.span.bytes, at: Int64(number) * 100_000_000)
            try writer.write(audio: period.span.bytes, at: Int64(number) * 100_000_000)
        }
        writer.add(ClipChapter(at: .zero, title: "here"))
        let clip = try writer.finish(ledger: Recording.ledger, end: .complete)
        #expect(clip.format == .own && clip.duration == .seconds(2))
        let lines = try lines(scratch, "a.lines")
        let packets = (0..<20).flatMap { ["0 \(100 * $0) 100 true \(8 * $0)", "1 \(100 * $0) 100 true 200"] }
        #expect(Array(lines.dropFirst().dropLast()) == packets)
        let bytes = packets.reduce(0) { $0 + $1.utf8.count + 1 }
        #expect(
            lines.first
                == "LINES \(bytes)\(String(repeating: ".", count: 12 - "\(bytes)".count)) V_INVERTED,A_PCM/INT/LIT")
        #expect(lines.last == "END 2.0 seconds 1 complete")
    }

    @Test("A codec that is a function of one sample has its packets timed and counted, and is given whole frames alone")
    func function() throws {
        let format = AudioFormat(sampleRate: 1000, channels: 2, sampleFormat: .s16)
        let sound = Source.sound(format, frames: 30)
        var packets = PacketBuffer()
        var counts = EncoderCounts()
        for number in 0..<2 {
            try packets.append(
                coding: sound.span.bytes, of: format, at: Int64(number) * 30_000_000, counting: &counts
            ) { (sample: Int16) in UInt8(truncatingIfNeeded: sample >> 8) }
        }
        let times = [packets.time(of: 0), packets.duration(of: 0), packets.time(of: 1), packets.duration(of: 1)]
        #expect(times == [0, 30_000_000, 30_000_000, 30_000_000])
        let coded = packets.withBytes(of: 0..<2) { Array($0) }
        let upper = sound.indices.filter { $0 % 2 == 1 }.map { sound[$0] }
        #expect(coded == upper + upper)
        #expect(counts.frames == 60 && counts.packets == 2 && counts.bytes == 120)
        for (bytes, sampleFormat) in [(119, SampleFormat.s16), (120, .s32)] {
            let error = #expect(throws: CaptureError.self) {
                let data = Array(sound.prefix(bytes))
                var none = EncoderCounts()
                var refused = PacketBuffer()
                let other = AudioFormat(sampleRate: 1000, channels: 2, sampleFormat: sampleFormat)
                let code: (Int16) -> Int16 = { ~$0 }
                try refused.append(coding: data.span.bytes, of: other, at: 0, counting: &none, code)
            }
            #expect(error?.kind == .usage)
        }
    }

    @Test("A pipe gets each packet at once, and a head that is never changed")
    func pipe() throws {
        let scratch = try Scratch()
        let path = scratch.path("fifo")
        #expect(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let writer = try OwnContainer("Lines") { Lines() }.writer(
            on: ClipOutput(opening: ClipDestination(path)), tracks: [Recording.track(Self.picture)], settings: settings)
        func said() -> String {
            var room = [UInt8](repeating: 0, count: 4096)
            let count = read(reader, &room, room.count)
            return String(decoding: room.prefix(max(count, 0)), as: UTF8.self)
        }
        try writer.write(video: [UInt8](repeating: 254, count: 8).span.bytes, at: 0)
        #expect(said() == "LINES ?........... V_INVERTED\n0 0 100 true 8\n")
        _ = try writer.finish(ledger: Recording.ledger, end: .complete)
        #expect(said() == "END 0.1 seconds 0 complete\n")
    }

    @Test("A full disk leaves whole packets, and the clip says why it ended")
    func full() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            let writer = try OwnContainer("Lines") { Lines() }.writer(
                on: ClipOutput(opening: .file(path: scratch.path("a.lines"))),
                tracks: [Recording.track(Source.video(.grey, 4, 2, rate: 10))])
            let frame = [UInt8](repeating: 1, count: 8)
            let clip = try FullDisk.during(bytes: 400) {
                var number: Int64 = 0
                while writer.failure == nil, number < 1000 {
                    try? writer.write(video: frame.span.bytes, at: number * 100_000_000)
                    number += 1
                }
                return try writer.finish(ledger: Recording.ledger, end: .complete)
            }
            let text = String(decoding: try Scratch.read(scratch.path("a.lines")), as: UTF8.self)
            #expect(clip.end == .diskFull && text.utf8.count <= 400 && text.hasSuffix("\n"))
            let packets = text.split(separator: "\n").dropFirst()
            #expect(!packets.isEmpty && packets.allSatisfy { $0.hasPrefix("0 ") })
        }
    }

    @Test("Tracks that a container can't hold are refused, and no file is left")
    func refused() throws {
        let scratch = try Scratch()
        let error = #expect(throws: CaptureError.self) { try writer(scratch) { Lines(most: 1) } }
        #expect(error?.message == "Lines hold 1 tracks.")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("")).isEmpty)
    }

    @Test("A head that grows is an error in words; the file stays under its partial name")
    func grown() throws {
        let scratch = try Scratch()
        let writer = try writer(scratch) { Lines(growth: 1) }
        try writer.write(video: [UInt8](repeating: 1, count: 8).span.bytes, at: 0)
        let error = #expect(throws: CaptureError.self) { try writer.finish(ledger: Recording.ledger, end: .complete) }
        #expect(error?.kind == .usage && error?.message.contains("changed its size from") == true)
        #expect(scratch.names == ["a.lines.partial"])
    }

    @Test("Matroska stores an own codec by its name, with its own header and every bit")
    func matroska() throws {
        let scratch = try Scratch()
        let frames = (0..<5).map { [UInt8](repeating: UInt8($0), count: 8) }
        try Recording.pictures(frames, Self.picture, to: scratch.path("a.mkv"), settings: settings)
        let said = try Tool.text("mkvinfo", [scratch.path("a.mkv")], in: scratch)
        #expect(said.contains("V_INVERTED"))
        let bytes = try Scratch.read(scratch.path("a.mkv"))
        for frame in frames { #expect(bytes.contains(frame.map { ~$0 })) }
    }

    @Test("MP4 and WebM refuse a codec that they do not know")
    func unknown() throws {
        let scratch = try Scratch()
        for name in ["a.mp4", "a.webm"] {
            let error = #expect(throws: CaptureError.self) {
                try Recording.pictures(
                    [[UInt8](repeating: 0, count: 8)], Self.picture, to: scratch.path(name), settings: settings)
            }
            #expect(error?.kind == .usage)
        }
    }
}
