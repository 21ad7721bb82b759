import Gate
import LinuxSystem

/// Reads one policy file: its rules, or its mistakes. A YAML error ends the reading; mistakes in rules are all reported.
struct PolicyParser {
    let file: String
    private(set) var rules: [PolicyRule] = []
    private(set) var diagnostics: [PolicyDiagnostic] = []

    init(_ text: String, file: String) {
        self.file = file
        do throws(YAMLMistake) {
            if let root = try YAMLDocument.root(of: text) {
                readRoot(root)
            } else {
                report("The file is empty. Write `version: 1` and a list of `rules`.", at: nil)
            }
        } catch {
            report(error.message, at: error.position)
        }
    }

    /// Records a mistake at a node.
    mutating func report(_ message: String, at node: YAMLNode) { report(message, at: node.position) }

    private mutating func report(_ message: String, at position: YAMLPosition?) {
        diagnostics.append(PolicyDiagnostic(file: file, at: position, message: message))
    }

    /// Reads the two keys of a file. All rules are read, even after a mistaken one.
    private mutating func readRoot(_ root: YAMLNode) {
        guard let entries = entries(of: root, known: ["version", "rules"], what: "A policy file") else { return }
        readVersion(entries["version"], root)
        guard let list = entries["rules"] else { return report("The list of `rules` is missing.", at: root) }
        guard case .list(let nodes) = list.content else {
            return report("`rules` must be a list. Start each rule with a dash.", at: list)
        }
        for node in nodes { readRule(node) }
    }

    /// Checks the version, so that an older program refuses rules that it would misread.
    private mutating func readVersion(_ node: YAMLNode?, _ root: YAMLNode) {
        guard let node else { return report("`version: 1` is missing.", at: root) }
        guard node.word == "1" else {
            return report("This version is not supported. Write `version: 1`.", at: node)
        }
    }

    /// The values of a mapping by their keys; reports unknown keys.
    mutating func entries(of node: YAMLNode, known: [String], what: String) -> [String: YAMLNode]? {
        guard case .mapping(let mapping) = node.content else {
            report("\(what) must be a mapping of keys to values.", at: node)
            return nil
        }
        var entries: [String: YAMLNode] = [:]
        for (key, value) in mapping {
            guard let name = key.word, known.contains(name) else {
                let text = key.word.map { "`\($0)`" } ?? "This"
                report("\(text) is not a key here. Use \(known.joined(separator: ", ")).", at: key)
                continue
            }
            entries[name] = value
        }
        return entries
    }

    mutating func add(_ rule: PolicyRule) { rules.append(rule) }
}

extension PolicyParser {
    private static let keys =
        PolicyRule.Effect.allCases.map(\.rawValue) + [
            "level", "device", "user", "group", "executable", "unit", "flatpak", "snap", "until", "reason",
        ]

    /// Reads one rule. A rule with a mistake is not added: its remaining parts must not decide anything.
    mutating func readRule(_ node: YAMLNode) {
        let before = diagnostics.count
        guard let entries = entries(of: node, known: PolicyParser.keys, what: "A rule") else { return }
        guard let (effect, capabilities) = effect(of: entries, node) else { return }
        var rule = PolicyRule(effect, origin: PolicyOrigin(file: file, line: node.position.line))
        rule.capabilities = self.capabilities(capabilities)
        rule.level = entries["level"].flatMap { level($0, of: rule.capabilities) }
        rule.devices = entries["device"].flatMap { devices($0) }
        rule.users = entries["user"].flatMap { ids($0, "user", PolicyNames.user) }
        rule.groups = entries["group"].flatMap { ids($0, "group", PolicyNames.group) }
        rule.executables = entries["executable"].flatMap { executables($0) }
        rule.applications = applications(entries, node)
        rule.until = entries["until"].flatMap { date($0) }
        rule.reason = entries["reason"].flatMap { word($0) }
        if diagnostics.count == before { add(rule) }
    }

    private typealias Effect = (effect: PolicyRule.Effect, capabilities: YAMLNode)

    /// The one key that states the rule's effect, with its capabilities.
    private mutating func effect(of entries: [String: YAMLNode], _ node: YAMLNode) -> Effect? {
        let found = PolicyRule.Effect.allCases.compactMap { effect in
            entries[effect.rawValue].map { (effect, $0) }
        }
        guard found.count == 1 else {
            report("A rule needs exactly one of `allow`, `deny` and `ask`. This one has \(found.count).", at: node)
            return nil
        }
        return found[0]
    }

    /// The capabilities that a rule names, `nil` for any.
    private mutating func capabilities(_ node: YAMLNode) -> Set<CapabilityName>? {
        var names: Set<CapabilityName> = []
        var any = false
        for (word, node) in words(node) {
            if word == "any" {
                any = true
            } else if let name = CapabilityName.known.first(where: { $0.rawValue == word }) {
                names.insert(name)
            } else {
                let words = CapabilityName.known.map(\.rawValue).joined(separator: ", ")
                report("`\(word)` is not a capability. Write \(words) or any.", at: node)
            }
        }
        return any ? nil : names
    }

    /// The level; its words have a meaning with one capability only.
    private mutating func level(_ node: YAMLNode, of capabilities: Set<CapabilityName>?) -> AccessLevel? {
        guard let word = word(node) else { return nil }
        guard let capability = capabilities?.first, capabilities?.count == 1 else {
            report("A level needs one capability. Write separate rules for microphone and camera.", at: node)
            return nil
        }
        let levels = capability.levels
        guard let level = levels.first(where: { $0.name == word }) else {
            let names = levels.map(\.name).joined(separator: " or ")
            report("`\(word)` is not a level of the \(capability). Write \(names).", at: node)
            return nil
        }
        return level
    }

    /// The ids of the devices, `nil` for any. Ids are not looked up: the device may be unplugged.
    private mutating func devices(_ node: YAMLNode) -> Set<DeviceID>? {
        let words = words(node).map(\.word)
        return words.contains("any") ? nil : Set(words.map(DeviceID.init(rawValue:)))
    }

    /// Paths of programs. A relative path is refused: it would silently match nothing.
    private mutating func executables(_ node: YAMLNode) -> Set<String> {
        let paths = words(node)
        for (path, node) in paths where !path.hasPrefix("/") || path.hasSuffix("/") {
            report("`\(path)` is not a path of a program. Write an absolute path.", at: node)
        }
        return Set(paths.map(\.word))
    }

    /// The units, Flatpaks or snaps; a program runs in at most one of them.
    private mutating func applications(_ entries: [String: YAMLNode], _ node: YAMLNode) -> Set<ApplicationID>? {
        let kinds: [ApplicationID.Kind] = [.unit, .flatpak, .snap]
        let named = kinds.compactMap { kind in entries[kind.rawValue].map { (kind, $0) } }
        guard named.count <= 1 else {
            report("A rule takes only one of unit, Flatpak and snap. Write a rule for each.", at: node)
            return nil
        }
        return named.first.map { kind, node in
            Set(words(node).map { ApplicationID(kind: kind, name: $0.word) })
        }
    }

    /// The end of the rule in nanoseconds since 1970.
    private mutating func date(_ node: YAMLNode) -> Int64? {
        guard let word = word(node) else { return nil }
        guard let date = PolicyDate(word) else {
            report(
                "`\(word)` is not a date. Write it as 2027-01-31T18:00:00Z, or with an offset such as +01:00.", at: node
            )
            return nil
        }
        return date.nanoseconds
    }
}

extension PolicyParser {
    typealias Word = (word: String, node: YAMLNode)

    /// One word, or each word of a list; never empty without a diagnostic.
    mutating func words(_ node: YAMLNode) -> [Word] {
        guard case .list(let nodes) = node.content else { return word(node).map { [($0, node)] } ?? [] }
        if nodes.isEmpty { report("An empty list matches nothing. Remove the key or add an entry.", at: node) }
        return nodes.compactMap { node in word(node).map { ($0, node) } }
    }

    /// One word. A forgotten value is reported, and so is YAML's null.
    mutating func word(_ node: YAMLNode) -> String? {
        guard let text = node.word else {
            report("Write one word or text here.", at: node)
            return nil
        }
        guard !node.isNothing else {
            report("A value is missing here.", at: node)
            return nil
        }
        return text
    }

    /// Users or groups, by number or by name. An unknown name is a mistake: the rule would silently match nothing.
    mutating func ids(
        _ node: YAMLNode, _ what: String, _ find: (String) -> PolicyNames.Finding
    ) -> Set<UInt32>? {
        var ids: Set<UInt32> = []
        for (word, node) in words(node) {
            switch find(word) {
            case .id(let id): ids.insert(id)
            case .none: report("The \(what) `\(word)` does not exist on this machine.", at: node)
            case .failed(let text): report("The \(what) `\(word)` can't be looked up: \(text).", at: node)
            }
        }
        return ids
    }
}

/// Finds users and groups when a file is read: otherwise nobody would notice a rule about an unknown user.
enum PolicyNames {
    /// The result of a lookup. A failing directory service must not make a name look unknown.
    enum Finding: Hashable {
        case id(UInt32)
        case none
        case failed(String)
    }

    static func user(_ word: String) -> Finding {
        if let id = UInt32(word) { return .id(id) }
        return finding { () throws(Errno) in try Users.id(ofUser: word) }
    }

    static func group(_ word: String) -> Finding {
        if let id = UInt32(word) { return .id(id) }
        return finding { () throws(Errno) in try Users.id(ofGroup: word) }
    }

    private static func finding(_ look: () throws(Errno) -> UInt32?) -> Finding {
        do throws(Errno) {
            return try look().map { .id($0) } ?? .none
        } catch {
            return .failed(error.text)
        }
    }
}
