import CaptureGate
import CaptureRecording
import Synchronization

/// Records takes one after the other on devices that run on, by one permission, with a level and a picture beside them.
/// usage: RecordTakes MICROPHONE CAMERA FOLDER [TAKES]
@main
struct RecordTakes {
    struct Session: CaptureOperation {
        let folder: String
        let takes: Int
        let microphone: DeviceID
        let camera: DeviceID
        let authorization: AuthorizedFor<Capability.All>

        func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) {
            let capture = try await LiveCapture(opening: permit)
            let result = await Self.takes(of: self, capture)
            await capture.close()
            try result.get()
        }

        /// Each take is a clip of its own; the devices run on between them.
        private static func takes(of session: Session, _ capture: LiveCapture) async -> Result<Void, CaptureError> {
            do throws(CaptureError) {
                let loudest = Loudest()
                // Whatever samples the microphone has.
                let watch = try capture.watch(session.microphone, samples: Int16.self) { _, samples in
                    loudest.add(samples)
                }
                defer { watch.cancel() }
                async let pictures = pictures(of: session.camera, capture)
                for take in 1...max(session.takes, 1) {
                    let events = RecordingEvents()
                    async let told: Int = events.reduce(into: 0) { count, _ in count += 1 }
                    let target = try RecordingTarget(.file(path: "\(session.folder)/take-\(take).mkv"))
                    let clip = try await capture.record(into: target, for: .seconds(1), events: events)
                    let lost = clip.ledger.tracks.reduce(0) { $0 + $1.lost.total }
                    print("take \(take): \(clip.duration), \(lost) lost, \(await told > 0 ? "told of" : "silent")")
                }
                let seen = try await pictures.get()
                print("loudest: \(loudest.peak), pictures beside it: \(seen)")
                return .success(())
            } catch {
                return .failure(error)
            }
        }

        /// Looks at some pictures while clips are recorded. A result, as `async let` loses the type of an error.
        private static func pictures(of camera: DeviceID, _ capture: LiveCapture) async -> Result<Int, CaptureError> {
            var seen = 0
            do throws(CaptureError) {
                for try await picture in try capture.frames(of: camera) where !picture.bytes.isEmpty {
                    seen += 1
                    if seen == 5 { break }
                }
                return .success(seen)
            } catch {
                return .failure(error)
            }
        }
    }

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 3 else { return print("usage: RecordTakes MICROPHONE CAMERA FOLDER [TAKES]") }
        let catalog = DeviceCatalog.scan(.identity)
        let microphone = try DeviceQuery(arguments[0]).pick(from: catalog, .microphone)
        let camera = try DeviceQuery(arguments[1]).pick(from: catalog, .camera)
        let requests =
            Capability.Microphone(.record, device: .id(microphone.id), purpose: "Record takes").requests
            + Capability.Camera(.video, device: .id(camera.id), purpose: "Record takes").requests
        let session = Session(
            folder: arguments[2], takes: arguments.dropFirst(3).first.flatMap(Int.init) ?? 2, microphone: microphone.id,
            camera: camera.id, authorization: AuthorizedFor(Capability.All(requests)))
        try await GateQueue().run(session)
    }
}

/// Loudest sample so far, in 16 bits.
final class Loudest: Sendable {
    private let level = Mutex<Int16>(0)

    var peak: Int16 { level.withLock { $0 } }

    func add(_ samples: Span<Int16>) {
        var peak: Int16 = 0
        for index in samples.indices { peak = max(peak, samples[index]) }
        level.withLock { $0 = max($0, peak) }
    }
}
