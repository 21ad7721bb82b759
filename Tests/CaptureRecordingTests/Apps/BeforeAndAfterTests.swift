import CaptureGate
import ClipScenery
import Foundation
import GateTestKit
import Testing

@testable import CaptureRecording

/// Five small apps, each as it had to be written once and as it is written now. Both ways still work, and give the same;
/// the programs of the second way are in Samples.
@Suite("Five apps, before and after")
struct BeforeAndAfterTests {
    @Test(
        "An instrument is tuned: by bytes and a thread that waits, or by numbers and a task that does (TuneInstrument)")
    func instrument() async throws {
        let before = try await withPermit(for: Capability.tone()) { permit throws(CaptureError) -> [Float] in
            var session = try await AudioSession(opening: permit, settings: AudioSettings(channels: 1))
            var heard: [Float] = []
            session.start()
            while heard.count < 4800, session.wait(milliseconds: 60_000), session.end == nil {
                let format = session.format.sampleFormat
                session.withNext { _, bytes in
                    // Of the formats that microphones have, one of several.
                    guard format == .s16 else { return }
                    for offset in stride(from: 0, to: bytes.byteCount, by: 2) {
                        let sample = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Int16.self)
                        heard.append(Float(sample) / 32_768)
                    }
                }
            }
            await session.close()
            return heard
        }
        let after = try await withPermit(for: Capability.tone()) { permit throws(CaptureError) -> [Float] in
            var session = try await AudioSession(
                opening: permit, settings: AudioSettings(channels: 1), converting: .float32)
            var heard: [Float] = []
            while heard.count < 4800, try await session.ready() {
                session.withNextSamples { (_, samples: Span<Float>) in
                    for index in samples.indices { heard.append(samples[index]) }
                }
            }
            await session.close()
            return heard
        }
        #expect(before.count >= 4800 && before.contains { $0 != 0 })
        // The second way has the samples in the precision that the microphone has.
        #expect(after.count >= 4800)
        #expect(zip(before.prefix(4800), after).allSatisfy { abs($0 - $1) <= 1 / 32_768 })
    }

    @Test("Motion is watched for: by the bytes of YUYV, or by grey that was asked for (WatchMotion)")
    func motion() async throws {
        let settings = VideoSettings(width: 320, height: 240, pixelFormat: .yuyv)
        let before = try await withPermit(for: Capability.bars()) { permit throws(CaptureError) -> [UInt8] in
            var session = try await VideoSession(opening: permit, settings: settings)
            var grey: [UInt8] = []
            session.start()
            while grey.isEmpty, session.wait(milliseconds: 60_000), session.end == nil {
                let format = session.format
                session.withNext { _, bytes in
                    for row in 0..<format.height {
                        for column in 0..<format.width {
                            let luma = bytes.unsafeLoad(
                                fromByteOffset: row * format.bytesPerLine + 2 * column, as: UInt8.self)
                            // White is 235 in what cameras send, and black 16.
                            grey.append(UInt8(clamping: ((Int(luma) - 16) * 510 + 219) / 438))
                        }
                    }
                }
            }
            await session.close()
            return grey
        }
        let after = try await withPermit(for: Capability.bars()) { permit throws(CaptureError) -> [UInt8] in
            var session = try await VideoSession(opening: permit, settings: settings, converting: .grey)
            var grey: [UInt8] = []
            while grey.isEmpty, try await session.ready() {
                let plane = session.format.planes[0]
                session.withNext { _, picture in
                    for row in 0..<plane.rows {
                        grey += picture.extracting(plane.row(row)).withUnsafeBytes { Array($0) }
                    }
                }
            }
            await session.close()
            return grey
        }
        #expect(after.count == 320 * 240 && Set(after).count > 4)
        #expect(before.count == after.count && zip(before, after).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    @Test("Takes are recorded: opening and asking for each, or on devices that run on (RecordTakes)")
    func takes() async throws {
        let scratch = try Scratch()
        let capability = Capability.All(Capability.bars().requests + Capability.tone().requests)
        var settings = RecorderSettings()
        settings.video = VideoSettings(width: 320, height: 240)
        let shared = settings
        let prompter = ScriptedPrompter { _ in .allow(.once) }
        let queue = GateQueue(gatekeeper: try Gatekeeper.system(storeIn: scratch.path("store"), prompter: prompter))
        for take in 1...2 {
            let path = scratch.path("before-\(take).mkv")
            try await queue.run(
                PermitWork<Void>(authorization: AuthorizedFor(capability)) { permit async throws(CaptureError) in
                    let recorder = try await Recorder(opening: permit, settings: shared)
                    _ = try await recorder.record(into: RecordingTarget(.file(path: path)), for: .milliseconds(200))
                })
        }
        #expect(prompter.questions.count == 2)
        let folder = scratch.path("")
        try await queue.run(
            PermitWork<Void>(authorization: AuthorizedFor(capability)) { permit async throws(CaptureError) in
                let capture = try await LiveCapture(opening: permit, settings: shared)
                for take in 1...2 {
                    let target = try RecordingTarget(.file(path: "\(folder)after-\(take).mkv"))
                    _ = try await capture.record(into: target, for: .milliseconds(200))
                }
                await capture.close()
            })
        #expect(prompter.questions.count == 3)
        for name in ["before-1", "before-2", "after-1", "after-2"] {
            let shown = try Tool.text(
                "ffprobe",
                [
                    "-v", "error", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0",
                    "-select_streams", "v", scratch.path("\(name).mkv"),
                ], in: scratch)
            #expect(shown.trimmingCharacters(in: .whitespacesAndNewlines) == "6", "\(name)")
        }
    }

    /// Codec of the app's own: the upper byte of each sample.
    private final class UpperByte: TrackEncoder {
        let description = CodecDescription(matroskaID: "A_UPPER", bitDepth: 8)
        private(set) var counts = EncoderCounts()

        private let format: AudioFormat

        init(_ format: AudioFormat) { self.format = format }

        func begin() {}

        static func code(_ sample: Int16) -> UInt8 { UInt8(truncatingIfNeeded: (Int(sample) + 32_768) >> 8) }

        func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
            try packets.append(coding: data, of: format, at: nanoseconds, counting: &counts, Self.code)
        }

        func finish(into packets: inout PacketBuffer) {}
    }

    private final class NoHead: ClipContainer {
        func head(of file: ContainerFile) -> [UInt8] { [] }

        func store(_ packet: ContainerPacket, _ data: RawSpan, in bytes: inout [UInt8]) {
            data.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
    }

    @Test("A format of the app's own: made of a WAV file afterwards, or by the recorder (OwnFormats)")
    func format() async throws {
        let scratch = try Scratch()
        let (wav, own) = (scratch.path("before.wav"), scratch.path("after.own"))
        let sound = AudioSettings(sampleRate: 8000, channels: 1, sampleFormat: .s16)
        _ = try await withPermit(for: [Capability.tone()], in: scratch) { permit async throws(CaptureError) in
            var settings = RecorderSettings()
            settings.audio = sound
            return try await Recorder(opening: permit, settings: settings)
                .record(into: RecordingTarget(.file(path: wav)), for: .milliseconds(500))
        }
        // The samples are after the header, whose length no program should have to know.
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: wav)).suffix(8000))
        let before = stride(from: 0, to: 8000, by: 2).map {
            UpperByte.code(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8))
        }
        _ = try await withPermit(for: [Capability.tone()], in: Scratch()) { permit async throws(CaptureError) in
            var settings = RecorderSettings()
            settings.audio = sound
            settings.encoders.own = OwnEncoders { track in track.audio.map { UpperByte($0) } }
            let target = try RecordingTarget(.file(path: own), container: OwnContainer("OWN") { NoHead() })
            return try await Recorder(opening: permit, settings: settings).record(into: target, for: .milliseconds(500))
        }
        let after = [UInt8](try Data(contentsOf: URL(fileURLWithPath: own)))
        #expect(after.count == 4000 && Set(after).count > 16 && before == after)
    }

    /// The permission for the place as an app had to implement it: with its own question, memory and comparison.
    private struct Whereabouts: CapabilityType {
        let requirement = LocationAccuracy.city
        let name = CapabilityName(rawValue: "whereabouts")
        private let decision = Shared<Decision>()

        private final class Shared<Value: Sendable>: Sendable {
            let value = Locked<Value?>(nil)
        }

        func availability(in gatekeeper: Gatekeeper) async -> Availability { .available }

        func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus {
            guard let decision = decision.value.withLock({ $0 }) else { return .notDetermined() }
            return Grant(decision).map { .authorized($0) } ?? .denied(decision)
        }

        func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError) {
            let subject = try gatekeeper.subject.get()
            try await gatekeeper.confirm(ConfirmationRequest("Use the position?", message: "Find the weather"))
            let now = SystemGateClock().now
            decision.value.withLock {
                $0 = Decision(
                    verdict: .allow, subject: subject, capability: name, level: requirement.level, device: .any,
                    lifetime: .always, decidedBy: .person(prompter: "own"), decidedAt: now)
            }
        }
    }

    private struct Service: LocationService {
        let description = DeviceDescription(id: "location:test", name: "Test service")

        func state(for accuracy: LocationAccuracy) async -> ServiceState { .available }
        func ask(for accuracy: LocationAccuracy) async -> ServiceAnswer { .allowed }
        func position(_: LocationAccuracy, within _: Duration) async throws(CaptureError) -> GeographicPosition {
            throw CaptureError(.unavailable, "nowhere")
        }
    }

    @Test("The place is asked for: by a capability of the app's own, or by the one that there is (ShowCapabilities)")
    func capabilities() async throws {
        let scratch = try Scratch()
        let store = scratch.path("store")
        let prompter = ScriptedPrompter([.allow(.always)], confirmations: [.yes])
        func next() throws -> GateQueue {
            GateQueue(gatekeeper: try Gatekeeper.system(storeIn: store, prompter: prompter, as: .rig))
        }
        let queue = try next()
        let before = Whereabouts()
        try await queue.run(Authorize(before))
        let after = Capability.Location(.city, purpose: "Find the weather", by: Service())
        try await queue.run(Authorize(after))
        for report in [await queue.gatekeeper.report(on: before), await queue.gatekeeper.report(on: after)] {
            #expect(report.refusal == nil && report.status.grant?.level == LocationAccuracy.city.level)
        }
        #expect(prompter.confirmations.count == 1 && prompter.questions.count == 1)
        // A program that is started again: the one is in the store, where commands see it and take it back.
        let again = try next().gatekeeper
        #expect(await again.report(on: after).refusal == nil)
        #expect(await again.report(on: Whereabouts()).refusal != nil)
    }
}
