import CaptureGate
import CaptureRecording

/// Requests the microphone and records five seconds of audio.
/// usage: RecordMemo [DEVICE [OUT.flac]]
@main
struct RecordMemo {
    struct Memo: CaptureOperation {
        let path: String
        let authorization: AuthorizedFor<Capability.Microphone>

        func execute(
            with permit: consuming Permit, in context: OperationContext
        ) async throws(CaptureError) -> Clip {
            try await Recorder(opening: permit).record(to: path, for: .seconds(5))
        }
    }

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let query = DeviceQuery(arguments.first ?? "default")
        let microphone = try query.pick(from: DeviceCatalog.scan(.identity, of: .microphone), .microphone)
        let memo = Memo(
            path: arguments.dropFirst().first ?? "memo.flac",
            authorization: AuthorizedFor(
                Capability.Microphone(.record, device: .id(microphone.id), purpose: "Record a voice memo")))
        let clip = try await GateQueue().run(memo)
        print("\(clip.path): \(clip.duration), \(clip.ledger.tracks[0].lost.total) frames lost")
    }
}
