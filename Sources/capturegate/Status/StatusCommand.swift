import ArgumentParser
import CaptureGate
import GateStore

/// `capturegate status`
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say what is decided, who holds each device now, and how strong the gate is here.",
        discussion: """
            Asks nobody and captures nothing. Run it as root to see the processes of other users that hold a device. Where \
            the nodes belong to group capturegate, it says who else can open one: by its mode, its owner or an access list.

              capturegate status
              capturegate status --json
            """)

    @OptionGroup var json: JSONOption

    func run() async throws {
        let store = try UserStore.open()
        let report = StatusReport(
            subject: try ProcessSubject.current(known: store.executables()), storePath: store.directory,
            snapshot: try store.snapshot(),
            keptLines: try store.audit.keptLines(), now: SystemGateClock().now, policy: PolicyDirectory().summary,
            devices: await Self.devices(), nodes: NodeProtection.all())
        if json.isOn {
            try StandardStream.output.line(report.json.text)
        } else {
            try StandardStream.output.lines(report.lines(TextStyle(for: .output)))
        }
    }

    private static func devices() async -> [DeviceStatus] {
        var statuses: [DeviceStatus] = []
        for device in DeviceCatalog.scan(.identity) {
            statuses.append(await DeviceStatus(of: device, at: .shared))
        }
        return statuses
    }
}
