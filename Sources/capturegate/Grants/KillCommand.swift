import ArgumentParser
import CaptureGate

/// `capturegate kill`: switches a capability off for this user, whatever was granted.
///
/// It asks for no confirmation, since it must work in a hurry, and takes nothing away: grants count again
/// after `--off`.
struct KillCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kill",
        abstract: "Switch all microphones or all cameras off for this user, or on again.",
        discussion: """
            Off, nobody is allowed and nobody is asked, whatever was granted, and captures that are running end within \
            100 ms. Grants are kept for when it is switched on again.

            With --machine it is for all users, where the machine's broker has the devices: root may, and whom polkit lets.

              capturegate kill camera
              capturegate kill camera --off
              capturegate kill microphone --machine
            """
    ).parsedAlone

    @Argument(help: "What is switched off.")
    var capability: CapabilityName

    /// A flag and not a command of its own, so that the way back stands in the same help.
    @Flag(name: .customLong("off"), help: "Take the kill switch off: capture is possible again.")
    var isLifted = false

    @Flag(name: .customLong("machine"), help: "For all users of this machine; polkit says who may.")
    var isForAll = false

    @OptionGroup var json: JSONOption

    /// Sets or lifts the switch, in one commit with its audit event.
    func run() throws {
        let state = isLifted ? "switched on again" : "switched off"
        let committed = isForAll ? try switchForAll() : try switchOwn(state)
        let document: JSONValue = [
            "capability": .string(capability.rawValue), "kill_switch": .bool(!isLifted),
            "for_all_users": .bool(isForAll), "committed_ns": .nanoseconds(committed),
        ]
        let whose = isForAll ? " for all users" : ""
        try StandardStream.output.line(json.isOn ? document.text : "All \(capability) capture is \(state)\(whose).")
    }

    private func switchOwn(_ state: String) throws(CaptureError) -> Duration {
        let store = try UserStore.deciding()
        let event = AuditEvent(
            .killSwitch, at: SystemGateClock().now, subject: try ProcessSubject.current(), capability: capability,
            detail: "\(state) by command")
        return try store.setKillSwitch(capability, on: !isLifted, audit: event).committed
    }

    private func switchForAll() throws(CaptureError) -> Duration {
        guard let broker = BrokerLink.machine else {
            throw CaptureError(
                .unavailable, "This machine has no capture broker, without which each user has switches alone.",
                remedies: [Remedy("Set it up.", command: "sudo capturegate secure")])
        }
        return try broker.switchForAll(SwitchOrder(capability, isOff: !isLifted))
    }
}
