import LinuxSystem

/// Check as written in the plan, before its devices, its matrix and its repeats are expanded.
///
/// *session-bound*
struct PlanEntry {
    let check: CheckDefinition
    let node: YAMLNode
    /// Exceptions of the matrix, for their position.
    let except: YAMLNode?
    /// Devices of each time that the check is made: `[[camera], [other]]`, or `[[camera, microphone]]`.
    var devices: [[String]] = []
    /// Part of the result's name, for a check that is in the plan more than once.
    var label: String?
    /// Values of the plan, and the catalogue's for all else.
    var parameters: [String: PlanValue] = [:]
    var matrix = PlanMatrix()
    var repeats = 1
    var limits: [String: PlanLimit] = [:]
    var before: [PlanCommand] = []
    var after: [PlanCommand] = []

    /// Keys that are no parameters: the catalogue may have none of these names.
    static let keys = [
        "check", "device", "devices", "label", "matrix", "except", "repeat", "limits", "before", "after",
    ]
}

/// Reads the checks of a plan.
///
/// *session-bound*
struct PlanEntryReader {
    let values: PlanValues
    let catalogue: PlanCatalogue
    let board: PlanBoard
    /// True if all devices are known, so that another one is a mistake.
    let hasAllDevices: Bool

    private var mistakes: PlanMistakes { values.mistakes }

    /// Maximum repeats of a check: the number of checks that a plan may have.
    static let mostRepeats = 10_000

    /// One check, or `nil` with a diagnostic. One with a mistake is given as well, for what it has in common with
    /// others.
    func entry(_ node: YAMLNode) -> PlanEntry? {
        guard let entries = mistakes.entries(of: node, what: "A check") else { return nil }
        guard let check = check(entries, node) else {
            readRest(entries)
            return nil
        }
        let known = PlanEntry.keys + check.parameters.map(\.name)
        let keys = mistakes.keys(of: node, known: known, what: "A check") ?? [:]
        var entry = PlanEntry(check: check, node: node, except: keys["except"])
        entry.devices = devices(keys, node, of: check)
        entry.label = keys["label"].flatMap { mistakes.word($0) }
        entry.repeats = repeats(keys["repeat"])
        entry.before = keys["before"].map { values.commands($0, what: "`before`") } ?? []
        entry.after = keys["after"].map { values.commands($0, what: "`after`") } ?? []
        readMeasuring(keys, into: &entry)
        return entry
    }

    /// The number of a `repeat`; 1 without one.
    func repeats(_ node: YAMLNode?) -> Int {
        guard let node, let word = mistakes.word(node) else { return 1 }
        if let count = PlanQuantity(word)?.whole, (1...Self.mostRepeats).contains(count) { return count }
        mistakes.report(
            "`repeat` must be a whole number from 1 to \(Self.mostRepeats), not \(PlanMistakes.quoted(word)).", at: node
        )
        return 1
    }

    /// The check of the catalogue that an entry names.
    private func check(_ entries: [YAMLNode.Entry], _ node: YAMLNode) -> CheckDefinition? {
        guard let name = entries.first(where: { $0.key.word == "check" })?.value else {
            mistakes.report(
                "A step needs `check: NAME`, `parallel: […]` or `run: […]`.", at: node)
            return nil
        }
        return mistakes.word(name).flatMap { catalogue.check($0, at: name, mistakes) }
    }

    /// Reads the keys that do not depend on the check, which is unknown: all mistakes are reported at once.
    private func readRest(_ entries: [YAMLNode.Entry]) {
        for (key, value) in entries {
            switch key.word {
            case "repeat": _ = repeats(value)
            case "before", "after": _ = values.commands(value, what: "`\(key.word ?? "")`")
            default: continue
            }
        }
    }

    /// Reads the measurement: parameters, matrix and limits.
    private func readMeasuring(_ keys: [String: YAMLNode], into entry: inout PlanEntry) {
        let check = entry.check
        let own = check.parameters.filter { keys[$0.name] != nil && !PlanEntry.keys.contains($0.name) }
        entry.parameters = values.standards(of: check, at: entry.node)
        for parameter in own {
            if let node = keys[parameter.name], let value = values.value(node, of: parameter) {
                entry.parameters[parameter.name] = value
            }
        }
        let matrix = PlanMatrixReader(values: values, check: check, taken: Set(own.map(\.name)))
        entry.matrix = matrix.matrix(keys["matrix"], except: entry.except)
        let limits = PlanLimitReader(mistakes: mistakes, catalogue: catalogue)
        entry.limits = board.limits[check.name] ?? [:]
        entry.limits.merge(keys["limits"].map { limits.byMeasure($0, of: check) } ?? [:]) { $1 }
    }
}

extension PlanEntryReader {
    /// Devices for each time that the check runs; a name that can't be used is ignored with a diagnostic.
    private func devices(_ keys: [String: YAMLNode], _ node: YAMLNode, of check: CheckDefinition) -> [[String]] {
        let takesOne = check.devices.count == 1
        let (right, wrong) = takesOne ? ("device", "devices") : ("devices", "device")
        if let node = keys[wrong] {
            mistakes.report("`\(check.name)` takes \(Self.needs(check)).", at: node)
            return []
        }
        guard let named = keys[right] else {
            // A check of the machine has no device, and is made once.
            if check.devices.isEmpty { return [[]] }
            mistakes.report("The device is missing. `\(check.name)` takes \(Self.needs(check)).", at: node)
            return []
        }
        let words = mistakes.words(named, what: "`\(right)`")
        if takesOne { return each(words, of: check) }
        guard words.count == check.devices.count else {
            mistakes.report("`\(check.name)` takes \(Self.needs(check)).", at: named)
            return []
        }
        // Each is checked, even after a wrong one.
        let areFit = zip(words, check.devices).map { fits($0, $1, check) }
        return areFit.allSatisfy { $0 } ? [words.map(\.text)] : []
    }

    /// Devices of a check of one, which is made once for each.
    private func each(_ words: [PlanMistakes.Word], of check: CheckDefinition) -> [[String]] {
        var names: Set<String> = []
        return words.compactMap { word in
            guard names.insert(word.text).inserted else {
                mistakes.report(
                    "\(PlanMistakes.quoted(word.text)) is repeated. Write `repeat: 2` instead.", at: word.node)
                return nil
            }
            return fits(word, check.devices[0], check) ? [word.text] : nil
        }
    }

    /// True for a device of the plan that has the kind.
    private func fits(
        _ word: PlanMistakes.Word, _ kind: CheckDefinition.DeviceKind, _ check: CheckDefinition
    ) -> Bool {
        guard let found = board.devices[word.text] else {
            if hasAllDevices { reportUnknown(word) }
            return false
        }
        // A missing definition has been reported already.
        guard let device = found, device.kind != kind else { return found != nil }
        mistakes.report(
            "\(PlanMistakes.quoted(word.text)) is a \(device.kind.rawValue), and `\(check.name)` takes "
                + "a \(kind.rawValue) here. Name another device.", at: word.node)
        return false
    }

    private func reportUnknown(_ word: PlanMistakes.Word) {
        guard board.order.isEmpty else {
            return mistakes.reportUnknown(word.text, "a device of the plan", among: board.order, at: word.node)
        }
        let name = PlanMistakes.quoted(word.text)
        mistakes.report("The plan has no device \(name). Add it to `devices`.", at: word.node)
    }

    /// End of a sentence about what a check takes.
    private static func needs(_ check: CheckDefinition) -> String {
        let kinds = check.devices.map(\.rawValue)
        switch kinds.count {
        case 0: return "no device. Remove the key"
        case 1: return "one \(kinds[0]). Write `device: NAME`, or a list to run the check for each"
        default: return "a \(kinds.joined(separator: " and a ")). Write `devices: [\(names(kinds))]`"
        }
    }

    private static func names(_ kinds: [String]) -> String {
        kinds.map { $0.uppercased() }.joined(separator: ", ")
    }
}
