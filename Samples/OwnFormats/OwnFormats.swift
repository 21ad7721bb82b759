import CaptureGate
import CaptureRecording

/// Records speech as telephones do, in a codec and a container of the program's own: G.711 in Sun's AU.
/// usage: OwnFormats [DEVICE [OUT.au]]
@main
struct OwnFormats {
    struct Dictation: CaptureOperation {
        let path: String
        let authorization: AuthorizedFor<Capability.Microphone>

        func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) -> Clip {
            var settings = RecorderSettings()
            settings.audio = AudioSettings(sampleRate: 8000, channels: 1, sampleFormat: .s16)
            settings.encoders.own = OwnEncoders { track in track.audio.map { MuLawEncoder($0) } }
            let target = try RecordingTarget(.file(path: path), container: OwnContainer("AU") { SunAudio() })
            return try await Recorder(opening: permit, settings: settings).record(into: target, for: .seconds(2))
        }
    }

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let query = DeviceQuery(arguments.first ?? "default")
        let microphone = try query.pick(from: DeviceCatalog.scan(.identity, of: .microphone), .microphone)
        let dictation = Dictation(
            path: arguments.dropFirst().first ?? "dictation.au",
            authorization: AuthorizedFor(
                Capability.Microphone(.record, device: .id(microphone.id), purpose: "Take a dictation")))
        let clip = try await GateQueue().run(dictation)
        print("\(clip.path): \(clip.duration), \(clip.ledger.tracks[0].lost.total) frames lost")
    }
}

/// Codec of telephones: a byte for each sample, with a sign, three bits of exponent and four of mantissa (ITU-T G.711, µ-law).
final class MuLawEncoder: TrackEncoder {
    let description = CodecDescription(matroskaID: "A_MULAW", bitDepth: 8)
    private(set) var counts = EncoderCounts()
    private let format: AudioFormat

    init(_ format: AudioFormat) { self.format = format }

    func begin() throws(CaptureError) {
        guard format.sampleFormat == .s16 else { throw CaptureError(.usage, "G.711 is made of 16 bits a sample.") }
    }

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        try packets.append(coding: data, of: format, at: nanoseconds, counting: &counts, Self.code)
    }

    func finish(into packets: inout PacketBuffer) {}

    private static func code(_ sample: Int16) -> UInt8 {
        let size = min(sample.magnitude, 32_635) + 132
        let exponent = 8 - size.leadingZeroBitCount
        let mantissa = UInt8(truncatingIfNeeded: size >> UInt16(exponent + 3)) & 0xF
        return ~((sample < 0 ? 0x80 : 0) | UInt8(exponent) << 4 | mantissa)
    }
}

/// Container of Sun: a header of 28 bytes, which tells the size at last, and the samples.
final class SunAudio: ClipContainer {
    func head(of file: ContainerFile) throws(CaptureError) -> [UInt8] {
        guard file.tracks.count == 1, let format = file.tracks[0].track.audio else {
            throw CaptureError(.usage, "AU holds one track of sound.")
        }
        let size = file.result == nil ? UInt32.max : UInt32(clamping: file.packetBytes)
        // The last field is an annotation, which readers expect.
        let fields = [28, size, 1, UInt32(format.sampleRate), UInt32(format.channels), 0]
        return Array(".snd".utf8)
            + fields.flatMap { field in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: field >> UInt32($0)) } }
    }

    func store(_ packet: ContainerPacket, _ data: RawSpan, in bytes: inout [UInt8]) {
        data.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
}
