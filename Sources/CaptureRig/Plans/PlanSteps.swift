import LinuxSystem

/// Expands the steps of a plan: each check once for each device, variant and repeat, each with its own name.
///
/// *session-bound*
struct PlanSteps {
    let reader: PlanEntryReader
    let profile: RigPlan.Profile
    /// Names of all results, and the lines of their checks.
    private var names: [String: Int] = [:]
    private var count = 0
    private var isFull = false

    /// Checks of a plan at most. At a second each they take three hours; more are a slip in a matrix.
    static let most = 10_000
    /// Maximum length of a name: files of evidence use it, and file systems allow 255 bytes.
    private static let longest = 200

    private var mistakes: PlanMistakes { reader.values.mistakes }

    init(reader: PlanEntryReader, profile: RigPlan.Profile) {
        self.reader = reader
        self.profile = profile
    }

    /// All steps of a list of them.
    mutating func steps(_ node: YAMLNode) -> [PlanStep] {
        (mistakes.list(node, what: "`checks`") ?? []).flatMap { step($0) }
    }

    /// The steps of one entry; its keys say what it is.
    private mutating func step(_ node: YAMLNode) -> [PlanStep] {
        guard case .mapping(let entries) = node.content else {
            mistakes.report("A step must be a mapping. Write `check: NAME`, `parallel: […]` or `run: […]`.", at: node)
            return []
        }
        let keys = Set(entries.compactMap(\.key.word))
        if keys.contains("parallel") { return group(node) }
        if keys.contains("run") { return reader.values.command(node).map { [.command($0)] } ?? [] }
        guard let entry = reader.entry(node) else { return [] }
        return checks(of: entry, rounds: 1...entry.repeats).map(PlanStep.check)
    }

    /// Checks at once, as often as the group is repeated.
    private mutating func group(_ node: YAMLNode) -> [PlanStep] {
        let keys = mistakes.keys(of: node, known: ["parallel", "repeat"], what: "A parallel group") ?? [:]
        let repeats = reader.repeats(keys["repeat"])
        guard let list = keys["parallel"], let nodes = mistakes.list(list, what: "`parallel`") else { return [] }
        let entries = nodes.compactMap { reader.entry($0) }
        checkDevices(of: entries)
        for entry in entries { checkIsSingle(entry) }
        let checks = entries.flatMap { self.checks(of: $0, rounds: 1...repeats) }
        let rounds = Dictionary(grouping: checks, by: \.round)
        return (1...repeats).compactMap { rounds[$0].map(PlanStep.parallel) }
    }

    /// Refuses what would use a device twice at once by itself.
    private func checkIsSingle(_ entry: PlanEntry) {
        let isVaried = (entry.matrix.count ?? .max) > 1
        guard isVaried || entry.repeats > 1 else { return }
        let remedy = isVaried ? "Write a group for each variant" : "Write `repeat` next to `parallel`"
        mistakes.report(
            "A parallel group can't use a device twice at a time, so each check runs once. \(remedy).",
            at: entry.node)
    }

    /// Refuses a device in two checks of a group, by the same name or by another.
    private func checkDevices(of entries: [PlanEntry]) {
        var used: [PlannedDevice: Int] = [:]
        for entry in entries {
            for name in entry.devices.joined() {
                guard case .some(.some(var device)) = reader.board.devices[name] else { continue }
                device.name = ""
                guard let first = used.updateValue(used[device] ?? entry.node.position.line, forKey: device) else {
                    continue
                }
                mistakes.report(
                    "The device \(PlanMistakes.quoted(name)) is also used in line \(first) of the same parallel group, "
                        + "but only one check can use it at a time. Move one of the checks after the group.",
                    at: entry.node)
            }
        }
    }
}

extension PlanSteps {
    /// One check for each device, variant and repeat; the repeats of a variant follow one another.
    private mutating func checks(of entry: PlanEntry, rounds: ClosedRange<Int>) -> [PlannedCheck] {
        // Expanding further matrices would take long, and show nothing new.
        if isFull { return [] }
        guard let raw = entry.matrix.count, raw <= Self.most else {
            reportFull("This matrix has more than \(Self.most) variants", entry.node)
            return []
        }
        let variants = entry.matrix.variants
        if variants.isEmpty, let except = entry.except {
            mistakes.report("The exceptions exclude the whole matrix. Remove one.", at: except)
        }
        // Each factor is bounded by the size of a file or by the numbers above.
        let new = entry.devices.count * variants.count * rounds.count
        guard count + new <= Self.most else {
            reportFull("With this check there are \(count + new)", entry.node)
            return []
        }
        count += new
        var checks: [PlannedCheck] = []
        for devices in entry.devices {
            for variant in variants {
                checks += rounds.map { check(entry, devices, variant, round: $0) }
            }
        }
        register(checks, of: entry)
        return checks
    }

    private mutating func reportFull(_ what: String, _ node: YAMLNode) {
        isFull = true
        mistakes.report(
            "\(what), but a plan can have up to \(Self.most) checks. Remove values from the matrix, or reduce `repeat`.",
            at: node)
    }

    private func check(
        _ entry: PlanEntry, _ devices: [String], _ variant: PlanMatrix.Variant, round: Int
    ) -> PlannedCheck {
        PlannedCheck(
            name: Self.name(entry, devices, variant, round), check: entry.check.name, devices: devices,
            variant: variant.choices, round: round, parameters: entry.parameters.merging(variant.parameters) { $1 },
            limits: limits(of: entry), before: entry.before, after: entry.after)
    }

    /// Effective limits: the plan's, otherwise the profile's.
    private func limits(of entry: PlanEntry) -> [String: Limit] {
        entry.check.measures.reduce(into: [:]) { limits, measure in
            let standard = profile == .bench ? measure.bench : measure.certification
            limits[measure.name] = entry.limits[measure.name].map(\.limit) ?? standard
        }
    }

    /// `CHECK.DEVICE.LABEL.VARIANT.ROUND`, each part if it exists, and the round from 2 on.
    private static func name(
        _ entry: PlanEntry, _ devices: [String], _ variant: PlanMatrix.Variant, _ round: Int
    ) -> String {
        let choices = variant.choices.map(\.value).joined(separator: "-")
        let parts = [entry.check.name, devices.joined(separator: "-"), entry.label ?? "", choices]
        let name = parts.filter { !$0.isEmpty }.map(plain).joined(separator: ".")
        return CheckResult.name(name, round: round)
    }

    /// A text with only those characters that file names and all formats of reports bear.
    private static func plain(_ text: String) -> String {
        let bytes = text.unicodeScalars.map { scalar -> UInt8 in
            switch scalar {
            case "A"..."Z", "a"..."z", "0"..."9", ".", "_", "-": UInt8(scalar.value)
            default: UInt8(ascii: "_")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Refuses a name that another result has, since a comparison of two reports could not distinguish them.
    private mutating func register(_ checks: [PlannedCheck], of entry: PlanEntry) {
        for check in checks {
            if check.name.utf8.count > Self.longest {
                let text = "The name of this check's result would be longer than \(Self.longest) characters"
                return mistakes.report("\(text). Shorten the device's name, the label or a value.", at: entry.node)
            }
            guard let first = names.updateValue(entry.node.position.line, forKey: check.name) else { continue }
            return mistakes.report(
                "The result `\(check.name)` would exist twice (see line \(first)). Give one check a `label: WORD`.",
                at: entry.node)
        }
    }
}
