import CaptureGate
import Gate
import GateSupervisor
import GateTestKit
import Glibc
import LinuxSystem

// Runs a program under supervision where a node that is no camera counts as one, so that ways past the gate can be tried on a
// machine without a device, and by anybody:
//
//   AttackProbe allow|deny NODE COMMAND [ARGUMENT]...
//
// Every question is answered alike. It ends with the program's exit code.
@main
struct AttackProbe {
    static func main() async {
        let words = CommandLine.arguments
        guard words.count >= 4, let answer = answers[words[1]],
            case .success(let status) = FileStatus.of(words[2]), status.kind == .characterDevice
        else {
            say("usage: AttackProbe allow|deny NODE COMMAND [ARGUMENT]...")
            exit(64)
        }
        let environment = ProcessEnvironment.current
        do {
            let supervisor = Supervisor(
                rules: SupervisionRules(
                    purpose: "Try to pass the gate by",
                    services: try ServiceRules(allowing: [], environment: environment)),
                nodes: StandInNodes(camera: status.node),
                gatekeeper: { Gatekeeper.standIn(for: $0, answering: answer) }, notice: { say($0) })
            let ending = try await supervisor.run(
                words[3], arguments: Array(words[3...]),
                environment: environment.map { "\($0.key)=\($0.value)" })
            guard case .exited(let code) = ending else {
                say("the program ended by \(ending)")
                exit(70)
            }
            exit(code)
        } catch {
            say(error.message)
            exit(69)
        }
    }

    private static let answers: [String: Answer] = ["allow": .allow(.always), "deny": .deny]

    /// In one call, since several threads say something.
    @Sendable private static func say(_ sentence: String) {
        let bytes = Array("AttackProbe: \(sentence.visible)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}

private let standIn = DeviceDescription(id: DeviceID(rawValue: "stand-in"), name: "stand-in for a camera")

/// A directory of one camera, by its number; all other nodes are what they are.
private struct StandInNodes: NodeDirectory {
    let camera: DeviceNumber
    private let system = SystemNodeDirectory()

    init(camera: DeviceNumber) { self.camera = camera }

    func isClosed(_ node: DeviceNumber) -> Bool { node == camera || system.isClosed(node) }

    func kind(of node: DeviceNumber) -> NodeKind {
        node == camera ? .capture(.camera, standIn) : system.kind(of: node)
    }
}

/// Finds the double, whatever is requested.
private struct StandInDevices: DeviceDirectory {
    func resolve(_ request: DeviceRequest) async -> DeviceResolution {
        DeviceResolution(device: standIn, availability: .available)
    }
}

extension Gatekeeper {
    fileprivate static func standIn(for subject: Subject, answering answer: Answer) -> Gatekeeper {
        Gatekeeper(
            as: .rig, subject: .success(subject), store: MemoryStore(), prompter: ScriptedPrompter { _ in answer },
            directory: StandInDevices(), clock: SystemGateClock())
    }
}
