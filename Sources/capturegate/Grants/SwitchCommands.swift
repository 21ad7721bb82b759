import ArgumentParser
import CaptureGate

/// `capturegate camera off`: switches all cameras off for this user, whatever was granted.
struct CameraCommand: ParsableCommand {
    static let configuration = SwitchOptions.configuration(of: .camera)

    @OptionGroup var options: SwitchOptions

    func run() throws { try options.turn(.camera) }
}

/// `capturegate microphone off`: switches all microphones off for this user, whatever was granted.
struct MicrophoneCommand: ParsableCommand {
    static let configuration = SwitchOptions.configuration(of: .microphone)

    @OptionGroup var options: SwitchOptions

    func run() throws { try options.turn(.microphone) }
}

/// Options of a kill switch, of this user or of the whole machine.
///
/// It asks for no confirmation, since it must work in a hurry.
/// It removes nothing: grants apply again once it is on.
struct SwitchOptions: ParsableArguments {
    enum Position: String, ExpressibleByArgument, CaseIterable { case off, on }

    @Argument(help: "New position of the switch.")
    var position: Position

    @Flag(name: .customLong("machine"), help: "Switch for all users, as root or with polkit.")
    var isForAll = false

    @OptionGroup var json: JSONOption

    static func configuration(of capability: CapabilityName) -> CommandConfiguration {
        CommandConfiguration(
            commandName: capability.rawValue,
            abstract: "Switch all \(capability)s off or on for this user.",
            discussion: """
                Off denies all new captures. \(Guarantees.ofRevocations) Permissions stay for when you switch on again.

                  capturegate \(capability) off
                  capturegate \(capability) on
                  capturegate \(capability) off --machine

                The option --machine needs the broker.
                """
        ).parsedAlone
    }

    private var isOff: Bool { position == .off }

    /// Sets the switch, in one commit with its audit event.
    func turn(_ capability: CapabilityName) throws {
        let committed = isForAll ? try turnForAll(capability) : try turnOwn(capability)
        let document: JSONValue = [
            "capability": .string(capability.rawValue), "kill_switch": .bool(isOff),
            "for_all_users": .bool(isForAll), "committed_ns": .nanoseconds(committed),
        ]
        let whose = isForAll ? " for all users" : ""
        try StandardStream.output.line(json.isOn ? document.text : "All \(capability) capture is \(state)\(whose).")
    }

    private var state: String { isOff ? "switched off" : "switched on again" }

    private func turnOwn(_ capability: CapabilityName) throws(CaptureError) -> Duration {
        let store = try UserStore.deciding()
        let event = AuditEvent(
            .killSwitch, at: SystemGateClock().now, subject: try ProcessSubject.current(), capability: capability,
            detail: "\(state) by command")
        return try store.setKillSwitch(capability, on: isOff, audit: event).committed
    }

    private func turnForAll(_ capability: CapabilityName) throws(CaptureError) -> Duration {
        guard let broker = BrokerLink.machine else {
            throw CaptureError(
                .unavailable, "--machine needs a capture broker, which this machine does not have.",
                remedies: [Remedy("Set it up.", command: "sudo capturegate secure")])
        }
        return try broker.switchForAll(SwitchOrder(capability, isOff: isOff))
    }
}
