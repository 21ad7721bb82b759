import CaptureGate
import Dispatch
import Gate
import LinuxSystem

/// Switches that hold for all users: polkit says who may turn them, root may always.
///
/// *thread-safe*
struct MachineSwitches: Sendable {
    /// Polkit's name of it, as in the action's file.
    private static let action = "org.capturegate.machine-switch"
    /// Time in which a person can give a password; what sd-bus waits for at most.
    private static let patience = Duration.seconds(25)

    /// Has the store of what holds for everybody.
    let gates: UserGates
    /// Program that wants it, whom polkit knows by its process.
    let client: ClientIdentity

    /// Sets a switch, which ends running captures like the user's own switch.
    ///
    /// - Throws: `.notAuthorized` if polkit denies it, is missing, or does not answer.
    func turn(_ order: SwitchOrder, by subject: Subject) async throws(CaptureError) -> BrokerReply {
        guard !order.capability.levels.isEmpty else {
            throw CaptureError(
                .usage, "No device has the capability \(order.capability).",
                remedies: [Remedy("Name the camera or the microphone.")])
        }
        guard await isAuthorized() else {
            throw CaptureError(
                .notAuthorized, "polkit does not allow user \(client.user) to switch devices for all users.",
                remedies: [
                    Remedy("Run this as root."),
                    Remedy("Or see who is allowed.", command: "pkaction --verbose --action-id \(Self.action)"),
                ])
        }
        let event = AuditEvent(
            .killSwitch, at: SystemGateClock().now, subject: subject, capability: order.capability,
            detail: order.isOff ? "switched off for all users" : "switched on for all users")
        let commit = try gates.machineStore().setKillSwitch(order.capability, on: order.isOff, audit: event)
        return .recorded(RecordedDecisions(commit))
    }

    /// Asked on a thread that may wait for a person.
    private func isAuthorized() async -> Bool {
        guard client.user != 0 else { return true }
        let client = client
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "capturegated.polkit").async { continuation.resume(returning: Self.ask(client)) }
        }
    }

    /// Blocks until polkit has answered. A missing bus, a missing answer and an error are a denial.
    private static func ask(_ client: ClientIdentity) -> Bool {
        guard let address = BusAddress.system(in: ProcessEnvironment.current),
            let bus = try? BusConnection(to: address)
        else { return false }
        return bus.isAuthorized(
            action, process: (client.process, client.startTicks, client.user), until: Deadline(after: patience))
    }
}
