import CaptureGate

/// Prints every capability with its status, one line each: why it can't be used, and what to do. Behind them are those of other
/// systems that Linux lacks, with the reason. Asks nobody.
/// usage: ShowCapabilities [FOLDER] [--notify]
@main
struct ShowCapabilities {
    /// Capabilities of other systems, each with the reason why it is not on Linux.
    private static let lacking = [
        ("calendar", "each program of a desktop keeps its own"),
        ("contacts", "each program of a desktop keeps its own"),
        ("cloud", "there is no account of the system with a store of records"),
        ("health", "there is no store of a person's health"),
        ("passes", "there is no wallet of passes"),
    ]

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        let gate = Gatekeeper.shared
        let folder = arguments.first { !$0.hasPrefix("-") } ?? "."
        let capabilities: [any CapabilityType] = [
            Capability.Microphone(.record, purpose: "Record a voice memo"),
            Capability.Camera(.video, purpose: "Record a video"),
            Capability.Storage(folder),
            Capability.Location(.city, purpose: "Name the place of a memo"),
            Capability.Photos(.write, purpose: "Keep stills with the pictures"),
        ]
        var refusals: [(CapabilityName, CaptureError)] = []
        for capability in capabilities {
            let report = await gate.report(on: capability)
            print(line(capability.name.rawValue, words(report), report.refusal))
            if let refusal = report.refusal { refusals.append((capability.name, refusal)) }
        }
        printService("notifications", await DesktopNotifications().obstacle())
        // Only looks who is there: to register is to get messages from then on.
        let distributors = PushDistributors(for: "org.example.ShowCapabilities", purpose: "Tell of a new memo")
        printService("remote notifications", await distributors.obstacle())
        for (name, reason) in lacking { print(line(name, "not on Linux: \(reason)", nil)) }
        if arguments.contains("--notify"), let (name, refusal) = refusals.first { await notify(refusal, about: name) }
    }

    private static func printService(_ name: String, _ obstacle: CaptureError?) {
        print(line(name, obstacle == nil ? "available" : "not available", obstacle))
    }

    private static func line(_ name: String, _ status: String, _ refusal: CaptureError?) -> String {
        var parts = [name + String(repeating: " ", count: max(1, 22 - name.count)) + status]
        if let refusal {
            parts.append(refusal.message)
            parts += refusal.remedies.prefix(1).map { [$0.text, $0.command].compactMap(\.self).joined(separator: " ") }
        }
        return parts.joined(separator: "  ")
    }

    private static func words(_ report: AuthorizationReport) -> String {
        guard report.availability.isAvailable else { return "not available" }
        return switch report.status {
        case .notDetermined: "not determined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorized(let grant): report.refusal == nil ? "authorized (\(grant.level))" : "not enough"
        }
    }

    /// Shows why on the desktop, with a button that opens a terminal with the command that allows it.
    private static func notify(_ refusal: CaptureError, about name: CapabilityName) async {
        let notice = DesktopNotice { action in
            guard case .grant(let permission) = action else { return nil }
            var words = ["capturegate", "grant", permission.capability, permission.isOnce ? "--once" : "--always"]
            if let program = permission.program { words += ["--to", program] }
            if let device = permission.device { words += ["--device", device] }
            if let level = permission.level { words += ["--level", level] }
            return words
        }
        if case .failed(let error) = await notice.show(refusal, about: name) { print(error.notice) }
    }
}
