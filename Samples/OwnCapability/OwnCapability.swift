import CaptureGate
import FoundationEssentials
import Glibc

/// Copies a clip to a directory that other people read, if a person allows it: a capability of one's own.
/// usage: OwnCapability CLIP FOLDER [--everybody] | --status FOLDER | --forget
@main
struct OwnCapability {
    /// Operation that runs only if publishing is allowed.
    struct Publish: GateOperation {
        let clip: String
        let folder: String
        let audience: Publishing.Audience

        var conditions: [any OperationCondition] { [AuthorizedFor(Publishing(to: folder, for: audience))] }

        func execute(in context: OperationContext) async throws(CaptureError) -> String {
            let name = clip.split(separator: "/").last.map(String.init) ?? "clip"
            do {
                try FileManager.default.copyItem(atPath: clip, toPath: "\(folder)/\(name)")
                try FileManager.default.setAttributes(
                    [.posixPermissions: audience == .everybody ? 0o644 : 0o640], ofItemAtPath: "\(folder)/\(name)")
            } catch {
                throw CaptureError(.inputOutput, "\(clip) can't be copied to \(folder).")
            }
            return "\(folder)/\(name)"
        }
    }

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("--forget", 1): Memory().forget()
        case ("--status", 2):
            try await GateQueue().run(
                GetAuthorizationStatus(Publishing(to: arguments[1])) { availability, status in
                    print(availability.isAvailable ? words(status) : "no such folder")
                })
        case (.some(let clip), 2): await publish(clip, to: arguments[1], for: .group)
        case (.some(let clip), 3) where arguments[2] == "--everybody":
            await publish(clip, to: arguments[1], for: .everybody)
        default: print("usage: OwnCapability CLIP FOLDER [--everybody] | --status FOLDER | --forget")
        }
    }

    private static func publish(_ clip: String, to folder: String, for audience: Publishing.Audience) async {
        do {
            let path = try await GateQueue().run(Publish(clip: clip, folder: folder, audience: audience))
            print("published as \(path)")
        } catch {
            print(([error] + error.underlying).map(\.message).joined(separator: "\n  "))
            exit(EXIT_FAILURE)
        }
    }

    private static func words(_ status: AuthorizationStatus) -> String {
        switch status {
        case .notDetermined: "not determined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorized: "authorized"
        }
    }
}
