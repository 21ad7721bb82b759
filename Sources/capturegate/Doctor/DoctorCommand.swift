import ArgumentParser
import CaptureGate
import GateStore
import GateSupervisor
import LinuxSystem

/// `capturegate doctor`: prints one redacted report about this machine, for a bug report.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Print a report about this machine for a bug report.",
        discussion: """
            Nothing is captured, and nothing is sent. The report contains no serial number, no name of a user or of this \
            machine, and no home directory. Read it before you publish it.

              capturegate doctor
              capturegate doctor --json
            """
    ).parsedAlone

    @OptionGroup var json: JSONOption

    /// Succeeds whatever is broken: the report says what.
    func run() throws {
        let sections = DoctorReport(redacted: Redaction.current).sections
        let output = StandardStream.output
        guard !json.isOn else { return try output.line(JSONValue.object(sections.map { ($0.key, $0.json) }).text) }
        let (style, width) = (TextStyle(for: output), output.isTerminal ? output.columns : .max)
        let texts = sections.map { [style.bold($0.title)] + $0.lines(width: width) }
        try output.lines(Array(texts.joined(separator: [""])))
    }
}

/// Part of the report.
struct DoctorSection {
    /// Heading for people; in lower case it is the key for programs.
    let title: String
    /// Names and values, a line each; empty for a list.
    let facts: [(name: String, value: String)]
    /// Entries of a list; empty for a section of facts.
    var entries: [String] = []
    /// Sentence in place of an empty list.
    var empty: String?

    /// Name of the member in the JSON document.
    var key: String { title.lowercased() }

    /// Section for people, without its heading: never empty, so that a reader sees that nothing was found.
    func lines(width: Int) -> [String] {
        let list = entries.isEmpty ? empty.map { [$0] } ?? [] : entries
        return Paragraph.facts(facts.map { [$0.name, $0.value] }, margin: "  ", width: width)
            + list.flatMap { Paragraph.lines($0, behind: "  ", width: width) }
    }

    /// An object of the facts, or a list.
    var json: JSONValue {
        guard facts.isEmpty else {
            return .object(facts.map { ($0.name.replacing(" ", with: "_").lowercased(), .string($0.value)) })
        }
        return .strings(entries)
    }
}

/// Report about this machine. Every value that a person, a device or another program chose passes the redaction.
struct DoctorReport {
    /// Filter for the values.
    let redacted: Redaction
    /// Variables at the start of the process.
    private let environment = ProcessEnvironment.current

    init(redacted: Redaction) { self.redacted = redacted }

    /// All sections, in the order in which a developer reads them.
    var sections: [DoctorSection] { [versions, system, protection, units, devices, permissions, refusals] }

    // MARK: Software

    /// Versions of the program and the compiler, traits, and libraries.
    ///
    /// Most libraries do not report a version. The names of the files that are mapped contain one: `libsqlite3.so.0.8.6`.
    private var versions: DoctorSection {
        let maps = ProcessFile.text("/proc/self/maps", limit: 4 << 20) ?? ""
        let files = Set(maps.split(separator: "\n").compactMap { $0.split(separator: "/").last })
        return DoctorSection(
            title: "Versions",
            facts: [
                ("capturegate", "\(LibraryVersions.captureGate), \(Self.build)"), ("Swift", Self.swift),
                ("Traits", Self.traits.isEmpty ? "none" : Self.traits.joined(separator: ", ")),
                ("ALSA", LibraryVersions.alsa),
                ("Libraries", redacted(files.filter { $0.contains(".so") }.sorted().joined(separator: ", "))),
            ])
    }

    /// Configuration of the build: a debug build is slower and has the seam for faults.
    private static var build: String {
        #if DEBUG
            "debug build"
        #else
            "release build"
        #endif
    }

    /// Version of the compiler, which Swift tells only in conditions.
    private static var swift: String {
        #if compiler(>=6.4)
            "6.4 or newer"
        #elseif compiler(>=6.3)
            "6.3"
        #elseif compiler(>=6.2)
            "6.2"
        #else
            "6.1 or older"
        #endif
    }

    /// The package's traits that this build has.
    private static var traits: [String] {
        var traits: [String] = []
        #if MP4
            traits.append("MP4")
        #endif
        #if WebM
            traits.append("WebM")
        #endif
        #if AV1
            traits.append("AV1")
        #endif
        #if PipeWire
            traits.append("PipeWire")
        #endif
        return traits
    }

    /// Kernel, distribution and desktop: os-release(5), and the variables that a desktop sets.
    private var system: DoctorSection {
        func kernel(_ name: String) -> String { ProcessFile.text("/proc/sys/kernel/\(name)") ?? "unknown" }
        func variable(_ name: String) -> String { environment[name].map { redacted($0.visible) } ?? "not set" }
        let release = ProcessFile.text("/etc/os-release") ?? ProcessFile.text("/usr/lib/os-release") ?? ""
        let name = release.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        return DoctorSection(
            title: "System",
            facts: [
                ("Kernel", redacted("\(kernel("osrelease")) \(kernel("arch"))")),
                ("Distribution", name.map { String($0.dropFirst(12)).replacing("\"", with: "").visible } ?? "unknown"),
                ("Desktop", variable("XDG_CURRENT_DESKTOP")), ("Session", variable("XDG_SESSION_TYPE")),
                ("Processors", "\(ProcessStart.usableProcessors)"),
            ])
    }

    // MARK: Protection

    /// Level with its self-test: the features that a run needs, the broker, and the rights to each node.
    private var protection: DoctorSection {
        let nodes = NodeProtection.all()
        let missing = Boundary.missingPieces
        let rights = nodes.map { node -> (name: String, value: String) in
            let list = node.hasAccessList ? ", access list" : ""
            // The owner can be the person at the seat.
            let owner = node.owner == "root" ? "root" : "another user"
            return (node.path, redacted("mode 0\(String(node.mode, radix: 8)), \(owner), group \(node.group)\(list)"))
        }
        return DoctorSection(
            title: "Protection",
            facts: [
                ("Level", Guarantees.answer(at: Guarantees.level(of: nodes, hasBroker: BrokerLink.machine != nil))),
                ("Supervision", missing.isEmpty ? "available" : "lacks \(missing.joined(separator: " and "))"),
                ("Broker", BrokerLink.machine == nil ? "not installed" : "installed"),
            ] + (rights.isEmpty ? [("Nodes", "no capture device has a node here")] : rights))
    }

    /// States of the units of CaptureGate and PipeWire.
    private var units: DoctorSection {
        guard case .success = FileStatus.of("/run/systemd/system") else {
            return DoctorSection(title: "Units", facts: [], empty: "systemd does not run here.")
        }
        // A session without systemd has no user manager; its line says so.
        let own = [
            "capturegate-agent.service", "capturegate-pipewire.service", "pipewire.service", "wireplumber.service",
        ]
        return DoctorSection(
            title: "Units", facts: [],
            entries: states(of: ["capturegated.socket", "capturegated.service"], "--system")
                + states(of: own, "--user"))
    }

    /// A line for each unit, or the reason for having no units.
    private func states(of units: [String], _ manager: String) -> [String] {
        let properties = "--property=Id,LoadState,ActiveState,UnitFileState"
        let child = ChildProcess(
            path: "/usr/bin/systemctl", arguments: [manager, "show", properties] + units, environment: environment)
        guard let outcome = try? child.run(until: Deadline(after: .seconds(3)), cancel: -1),
            outcome.ending == .exited(0)
        else { return ["The service manager (\(manager)) does not answer."] }
        return outcome.text.split(separator: "\n\n").map { block in
            let values = block.split(separator: "\n").map { $0.drop { $0 != "=" }.dropFirst() }
            return values.filter { !$0.isEmpty }.joined(separator: ", ")
        }
    }

    // MARK: Devices and decisions

    /// Devices by name and bus, without their ids. Formats help to see why a driver refused a mode.
    private var devices: DoctorSection {
        let inventory = DeviceCatalog.inventory(.formats)
        let found = inventory.devices.filter { !$0.isBuiltIn }.map { device in
            let bus = device.id.rawValue.split(separator: ":", maxSplits: 1).last?.prefix { $0.isLetter } ?? "?"
            let known = ["usb", "pci", "platform"].contains(String(bus)) ? String(bus) : "other"
            let parts = [
                device.capability.rawValue, "\"\(device.name.visible)\"", device.nodes.first ?? "no node",
                device.provided == nil ? known : "PipeWire", device.availability.phrase, device.formats.phrase,
            ]
            return redacted(parts.joined(separator: ", "))
        }
        let faults = inventory.faults.map { redacted("fault: \($0.error.message.visible)") }
        return DoctorSection(
            title: "Devices", facts: [], entries: found + faults, empty: "No microphone and no camera was found.")
    }

    /// Numbers of decisions; the reason if the permission database can't be read.
    private var permissions: DoctorSection {
        var facts = [(name: "Rules", value: redacted(PolicyDirectory().summary.phrase))]
        do throws(CaptureError) {
            let store: any GrantStore
            if let broker = BrokerLink.machine { store = BrokeredStore(broker) } else { store = try UserStore.open() }
            let snapshot = try store.snapshot()
            for capability in [CapabilityName.camera, .microphone] {
                let decisions = snapshot.decisions.filter { $0.capability == capability }
                let allowed = decisions.filter { $0.verdict == .allow }.count
                let isOff = snapshot.killSwitches.contains(capability) ? ", switched off" : ""
                let counts = "\(allowed) allowed, \(decisions.count - allowed) denied\(isOff)"
                facts.append((capability.rawValue.prefix(1).uppercased() + capability.rawValue.dropFirst(), counts))
            }
        } catch {
            facts.append(("Database", redacted("can't be read: \(error.message.visible)")))
        }
        return DoctorSection(title: "Permissions", facts: facts)
    }

    /// Last lines of the log about captures that the gate refused or ended.
    private var refusals: DoctorSection {
        do throws(CaptureError) {
            let entries = try UserStore.openLog().last(1000).filter {
                $0.event.map { [.refusal, .dismissal, .revocation].contains($0.kind) } ?? false
            }
            let note = BrokerLink.machine == nil ? "" : " The broker has its own log."
            return DoctorSection(
                title: "Refusals", facts: [], entries: entries.suffix(10).map { redacted($0.line) },
                empty: "None in the last 1000 lines of the log.\(note)")
        } catch {
            return DoctorSection(
                title: "Refusals", facts: [],
                entries: [redacted("The log can't be read: \(error.message.visible)")])
        }
    }
}
