import CaptureGate
import CaptureRecording
import ClipScenery
import Foundation
import Testing

/// Custom codec for audio: each sample with every bit inverted.
final class SampleInverter: TrackEncoder {
    let description = CodecDescription(matroskaID: "A_INVERTED", bitDepth: 16)
    private(set) var counts = EncoderCounts()
    private let format: AudioFormat

    init(_ format: AudioFormat) { self.format = format }

    func begin() {}

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        try packets.append(coding: data, of: format, at: nanoseconds, counting: &counts) { (sample: Int16) in ~sample }
    }

    func finish(into packets: inout PacketBuffer) {}
}

/// Custom codec for video: the sum of the first bytes of frames.
final class PictureSum: TrackEncoder {
    let description = CodecDescription(matroskaID: "V_SUM")
    private(set) var counts = EncoderCounts()
    private let format: VideoFormat

    init(_ format: VideoFormat) { self.format = format }

    func begin() {}

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        let sum = data.withUnsafeBytes { $0.prefix(64).reduce(0, &+) }
        try packets.append(capacity: 1, at: nanoseconds, lasting: format.frameRate.frameNanoseconds) { room in
            room[0] = sum
            return 1
        }
        counts.frames += 1
        counts.packets += 1
        counts.bytes += 1
    }

    func finish(into packets: inout PacketBuffer) {}
}

/// Custom container: a line for each packet, and the account of losses after the last.
final class PacketLines: ClipContainer {
    /// Formats of a test's own for every track.
    static let encoders = OwnEncoders { track in
        switch track.media {
        case .audio(let format): return SampleInverter(format)
        case .video(let format): return PictureSum(format)
        }
    }

    /// Target in this container.
    static func target(_ path: String, segment: Duration? = nil) throws(CaptureError) -> RecordingTarget {
        try RecordingTarget(.file(path: path), container: OwnContainer("Lines") { PacketLines() }, segment: segment)
    }

    func head(of file: ContainerFile) -> [UInt8] { Array((file.result == nil ? "begun\n" : "whole\n").utf8) }

    func store(_ packet: ContainerPacket, _ data: RawSpan, in bytes: inout [UInt8]) {
        let coded = data.withUnsafeBytes { $0.map(String.init).joined(separator: ",") }
        let times = "\(packet.time.exactNanoseconds) \(packet.duration.exactNanoseconds)"
        bytes += Array("\(packet.track) \(times) \(coded)\n".utf8)
    }

    func tail(of file: ContainerFile) -> [UInt8] {
        Array((file.result.map { "\($0.end) \($0.ledger.json)" } ?? "").utf8)
    }
}

/// A file of `PacketLines`, read.
struct PacketLinesFile {
    struct Packet {
        let track: Int
        /// Nanoseconds from the file's start.
        let time: Int64
        let duration: Int64
        let bytes: [UInt8]

        var end: Int64 { time + duration }
        /// What `SampleInverter` made them of.
        var samples: [Int16] {
            stride(from: 0, to: bytes.count, by: 2).map {
                ~Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
            }
        }
    }

    let isWhole: Bool
    let end: String
    let ledger: LossLedger
    private let packets: [Packet]

    init(reading path: String) throws {
        let lines = String(decoding: try Scratch.read(path), as: UTF8.self).split(separator: "\n")
        isWhole = lines.first == "whole"
        packets = try lines.dropFirst().dropLast().map { line in
            let fields = line.split(separator: " ")
            try #require(fields.count == 4)
            return Packet(
                track: try #require(Int(fields[0])), time: try #require(Int64(fields[1])),
                duration: try #require(Int64(fields[2])),
                bytes: try fields[3].split(separator: ",").map { try #require(UInt8($0)) })
        }
        let last = try #require(lines.last).split(separator: " ", maxSplits: 1)
        try #require(last.count == 2)
        end = String(last[0])
        ledger = try JSONDecoder().decode(LossLedger.self, from: Data(last[1].utf8))
    }

    func packets(of track: Int) -> [Packet] { packets.filter { $0.track == track } }
}
