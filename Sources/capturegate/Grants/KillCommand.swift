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

              capturegate kill camera
              capturegate kill camera --off
            """
    ).parsedAlone

    @Argument(help: "What is switched off.")
    var capability: CapabilityName

    /// A flag and not a command of its own, so that the way back stands in the same help.
    @Flag(name: .customLong("off"), help: "Take the kill switch off: capture is possible again.")
    var isLifted = false

    @OptionGroup var json: JSONOption

    /// Sets or lifts the switch, in one commit with its audit event.
    func run() throws {
        let store = try UserStore.deciding()
        let state = isLifted ? "switched on again" : "switched off"
        let event = AuditEvent(
            .killSwitch, at: SystemGateClock().now, subject: try ProcessSubject.current(), capability: capability,
            detail: "\(state) by command")
        let commit = try store.setKillSwitch(capability, on: !isLifted, audit: event)
        let document: JSONValue = [
            "capability": .string(capability.rawValue), "kill_switch": .bool(!isLifted),
            "committed_ns": .nanoseconds(commit.committed),
        ]
        try StandardStream.output.line(json.isOn ? document.text : "All \(capability) capture is \(state).")
    }
}
