import Gate
import Yams

extension PolicyParser {
    private static let keys =
        PolicyRule.Effect.allCases.map(\.rawValue) + [
            "level", "device", "user", "group", "executable", "unit", "flatpak", "snap", "until", "reason",
        ]

    mutating func readRule(_ node: Node) {
        let before = diagnostics.count
        guard let entries = entries(of: node, known: PolicyParser.keys, what: "A rule") else { return }
        guard let (effect, capabilities) = effect(of: entries, node) else { return }
        var rule = PolicyRule(effect, origin: PolicyOrigin(file: file, line: node.mark?.line ?? 0))
        rule.capabilities = self.capabilities(capabilities)
        rule.level = entries["level"].flatMap { level($0, of: rule.capabilities) }
        rule.devices = entries["device"].flatMap { devices($0) }
        rule.users = entries["user"].flatMap { ids($0, "user", PolicyNames.user) }
        rule.groups = entries["group"].flatMap { ids($0, "group", PolicyNames.group) }
        rule.executables = entries["executable"].flatMap { executables($0) }
        rule.applications = applications(entries, node)
        rule.until = entries["until"].flatMap { date($0) }
        rule.reason = entries["reason"].flatMap { word($0) }
        // A rule with a fault must not decide with what is left of it.
        if diagnostics.count == before { add(rule) }
    }

    private mutating func effect(of entries: [String: Node], _ node: Node) -> (PolicyRule.Effect, Node)? {
        let found = PolicyRule.Effect.allCases.compactMap { effect in
            entries[effect.rawValue].map { (effect, $0) }
        }
        guard found.count == 1 else {
            report("A rule needs one of `allow`, `deny` and `ask`, and has \(found.count).", at: node)
            return nil
        }
        return found[0]
    }

    private mutating func capabilities(_ node: Node) -> Set<CapabilityName>? {
        let known: [String: CapabilityName] = ["microphone": .microphone, "camera": .camera]
        var names: Set<CapabilityName> = []
        var any = false
        for (word, node) in words(node) {
            if word == "any" {
                any = true
            } else if let name = known[word] {
                names.insert(name)
            } else {
                report("`\(word)` is not a capability; write microphone, camera or any.", at: node)
            }
        }
        return any ? nil : names
    }

    private mutating func level(_ node: Node, of capabilities: Set<CapabilityName>?) -> AccessLevel? {
        guard let word = word(node) else { return nil }
        guard let capability = capabilities?.first, capabilities?.count == 1 else {
            report("A level belongs to one capability: make a rule each for microphone and camera.", at: node)
            return nil
        }
        let levels = capability.levels
        guard let level = levels.first(where: { $0.name == word }) else {
            let names = levels.map(\.name).joined(separator: " or ")
            report("`\(word)` is not a level of the \(capability); write \(names).", at: node)
            return nil
        }
        return level
    }

    private mutating func devices(_ node: Node) -> Set<DeviceID>? {
        let words = words(node).map(\.word)
        return words.contains("any") ? nil : Set(words.map(DeviceID.init(rawValue:)))
    }

    private mutating func executables(_ node: Node) -> Set<String> {
        let paths = words(node)
        for (path, node) in paths where !path.hasPrefix("/") || path.hasSuffix("/") {
            report("`\(path)` is not a program; write its path from the root on.", at: node)
        }
        return Set(paths.map(\.word))
    }

    private mutating func applications(_ entries: [String: Node], _ node: Node) -> Set<ApplicationID>? {
        let kinds: [ApplicationID.Kind] = [.unit, .flatpak, .snap]
        let named = kinds.compactMap { kind in entries[kind.rawValue].map { (kind, $0) } }
        guard named.count <= 1 else {
            report("A program runs in one unit, Flatpak or snap: make a rule for each.", at: node)
            return nil
        }
        return named.first.map { kind, node in
            Set(words(node).map { ApplicationID(kind: kind, name: $0.word) })
        }
    }

    private mutating func date(_ node: Node) -> Int64? {
        guard let word = word(node) else { return nil }
        guard let date = PolicyDate(word) else {
            report("`\(word)` is not a date; write it as 2027-01-31T18:00:00Z or with an offset as +01:00.", at: node)
            return nil
        }
        return date.nanoseconds
    }
}
