import LinuxSystem

/// Devices and limits of a plan, together with those of the files that it includes.
///
/// *session-bound*
struct PlanBoard {
    /// Devices by their names. One whose definition has a mistake is `nil`: it is known all the same, so that its
    /// mistake is not told again at each check.
    private(set) var devices: [String: PlannedDevice?] = [:]
    /// Names of the devices in the order of reading.
    private(set) var order: [String] = []
    /// Limits by the check's name and the measure's.
    private(set) var limits: [String: [String: PlanLimit]] = [:]
    /// File and line of each device.
    private var origins: [String: String] = [:]
    private let catalogue: PlanCatalogue

    init(of file: PlanFile, catalogue: PlanCatalogue) {
        self.catalogue = catalogue
        add(file)
    }

    /// Reads the included files first: what the file says itself outranks them, and the later of them the earlier.
    private mutating func add(_ file: PlanFile) {
        for included in file.included { add(included) }
        if let node = file.keys["devices"] { readDevices(node, file.mistakes) }
        guard let node = file.keys["limits"] else { return }
        let reader = PlanLimitReader(mistakes: file.mistakes, catalogue: catalogue)
        limits.merge(reader.byCheck(node)) { $0.merging($1) { $1 } }
    }

    private mutating func readDevices(_ node: YAMLNode, _ mistakes: PlanMistakes) {
        for (key, value) in mistakes.entries(of: node, what: "`devices`") ?? [] {
            guard let name = mistakes.word(key) else { continue }
            if let origin = origins[name] {
                mistakes.report(
                    "The device \(PlanMistakes.quoted(name)) is already defined in \(origin). Use another name.",
                    at: key)
                continue
            }
            origins[name] = "line \(key.position.line) of \(mistakes.file)"
            order.append(name)
            devices[name] = .some(PlannedDevice(name, value, mistakes))
        }
    }
}

extension PlannedDevice {
    /// Reads a device; `nil` with a diagnostic.
    fileprivate init?(_ name: String, _ node: YAMLNode, _ mistakes: PlanMistakes) {
        guard let keys = mistakes.keys(of: node, known: ["kind", "id", "match"], what: "A device") else { return nil }
        let kind = Self.kind(keys["kind"], node, mistakes)
        let selector = Self.selector(keys, node, mistakes)
        guard let kind, let selector else { return nil }
        self.init(name: name, kind: kind, selector: selector)
    }

    private static func kind(_ node: YAMLNode?, _ device: YAMLNode, _ mistakes: PlanMistakes) -> Kind? {
        guard let node else {
            mistakes.report("The device's kind is missing. Write `kind: camera` or `kind: microphone`.", at: device)
            return nil
        }
        guard let word = mistakes.word(node) else { return nil }
        if let kind = Kind(rawValue: word) { return kind }
        mistakes.reportUnknown(word, "a kind of device", among: Kind.allCases.map(\.rawValue), at: node)
        return nil
    }

    private static func selector(
        _ keys: [String: YAMLNode], _ device: YAMLNode, _ mistakes: PlanMistakes
    ) -> Selector? {
        switch (keys["id"], keys["match"]) {
        case (let id?, nil): return mistakes.word(id).map(Selector.id)
        case (nil, let match?): return self.match(match, mistakes)
        case (nil, nil):
            mistakes.report("The device's selector is missing. Write `id: …`, or `match: {name: …}`.", at: device)
        case (_?, let match?):
            mistakes.report("A device takes `id` or `match`, not both.", at: match)
        }
        return nil
    }

    private static func match(_ node: YAMLNode, _ mistakes: PlanMistakes) -> Selector? {
        let known = ["name", "driver", "serial", "index"]
        let before = mistakes.found.count
        guard let keys = mistakes.keys(of: node, known: known, what: "`match`") else { return nil }
        let words = keys.filter { $0.key != "index" }.compactMapValues { mistakes.word($0) }
        let index = keys["index"].flatMap { Self.index($0, mistakes) }
        guard mistakes.found.count == before else { return nil }
        return .match(name: words["name"], driver: words["driver"], serial: words["serial"], index: index)
    }

    private static func index(_ node: YAMLNode, _ mistakes: PlanMistakes) -> Int? {
        guard let word = mistakes.word(node) else { return nil }
        if let index = PlanQuantity(word)?.whole, (0..<1000).contains(index) { return index }
        mistakes.report(
            "`index` must be a whole number from 0 on, not \(PlanMistakes.quoted(word)): 0 is the first device.",
            at: node)
        return nil
    }
}

/// A limit as a plan sets it. *thread-safe*
enum PlanLimit: Hashable, Sendable {
    case bounds(Limit)
    /// The number is only told, even where the profile has a limit.
    case told

    var limit: Limit? {
        if case .bounds(let limit) = self { limit } else { nil }
    }
}

/// Reads limits. A limit replaces one of less rank as a whole: two halves of two authors would be a third one that
/// nobody wrote.
///
/// *session-bound*
struct PlanLimitReader {
    let mistakes: PlanMistakes
    let catalogue: PlanCatalogue

    /// Limits of several checks: by the check's name and the measure's.
    func byCheck(_ node: YAMLNode) -> [String: [String: PlanLimit]] {
        var limits: [String: [String: PlanLimit]] = [:]
        for (key, value) in mistakes.entries(of: node, what: "`limits`") ?? [] {
            guard let name = mistakes.word(key), let check = catalogue.check(name, at: key, mistakes) else { continue }
            limits[name] = byMeasure(value, of: check)
        }
        return limits
    }

    /// Limits of one check, by the measure's name.
    func byMeasure(_ node: YAMLNode, of check: CheckDefinition) -> [String: PlanLimit] {
        var limits: [String: PlanLimit] = [:]
        for (key, value) in mistakes.entries(of: node, what: "The limits of a check") ?? [] {
            guard let name = mistakes.word(key) else { continue }
            if let measure = check.measures.first(where: { $0.name == name }) {
                limits[name] = limit(value, of: measure)
            } else {
                let kind = "a measure of `\(check.name)`"
                mistakes.reportUnknown(name, kind, among: check.measures.map(\.name), at: key)
            }
        }
        return limits
    }

    /// One limit; `nil` with a diagnostic.
    private func limit(_ node: YAMLNode, of measure: CheckDefinition.Definition) -> PlanLimit? {
        if node.word == "none" { return .told }
        let before = mistakes.found.count
        guard
            let keys = mistakes.keys(
                of: node, known: ["least", "most", "marginal"], what: "A limit, if it is not `none`,")
        else { return nil }
        var limit = Limit(
            least: keys["least"].flatMap { number($0, of: measure) },
            most: keys["most"].flatMap { number($0, of: measure) })
        // The following compares the two, which shows nothing new if one could not be read.
        guard mistakes.found.count == before else { return nil }
        if limit.least == nil, limit.most == nil {
            mistakes.report("A limit needs `least`, `most` or both. Write `none` for no limit.", at: node)
        } else if let least = limit.least, let most = limit.most, least > most {
            mistakes.report(
                "`least` is above `most`, so nothing would pass. Swap or change them.", at: keys["least"] ?? node)
        } else if let marginal = keys["marginal"] {
            readMarginal(marginal, of: measure, into: &limit)
        }
        return mistakes.found.count == before ? .bounds(limit) : nil
    }

    /// Reads the bounds after which a pass is marginal: one for each bound of the limit.
    private func readMarginal(_ node: YAMLNode, of measure: CheckDefinition.Definition, into limit: inout Limit) {
        var nodes = [node]
        if case .list(let list) = node.content { nodes = list }
        let hasBoth = limit.least != nil && limit.most != nil
        guard nodes.count == (hasBoth ? 2 : 1) else {
            let form = hasBoth ? "two numbers, `marginal: [BELOW, ABOVE]`" : "one number, `marginal: NUMBER`"
            return mistakes.report("A limit with \(hasBoth ? "two bounds" : "one bound") takes \(form).", at: node)
        }
        let numbers = nodes.compactMap { number($0, of: measure) }
        guard numbers.count == nodes.count, let first = numbers.first, let last = numbers.last else { return }
        let bounds = (limit.least ?? -.infinity, limit.most ?? .infinity)
        guard first >= bounds.0, last <= bounds.1, first <= last else {
            return mistakes.report(
                "The marginal bounds must rise and be inside the limit. Otherwise no pass could be marginal.", at: node)
        }
        if limit.least != nil { limit.marginalBelow = first }
        if limit.most != nil { limit.marginalAbove = last }
    }

    /// A number in the measure's unit.
    private func number(_ node: YAMLNode, of measure: CheckDefinition.Definition) -> Double? {
        guard let word = mistakes.word(node) else { return nil }
        let quoted = PlanMistakes.quoted(word)
        guard let quantity = PlanQuantity(word) else {
            let example = measure.unit.isEmpty ? "0.5" : "5 \(measure.unit)"
            mistakes.report("\(quoted) is not a number. Write one such as `\(example)`.", at: node)
            return nil
        }
        if let number = quantity.number(in: measure.unit) { return number }
        let unit = measure.unit.isEmpty ? "without a unit" : "in `\(measure.unit)`"
        mistakes.report("\(quoted) can't be converted: `\(measure.name)` is measured \(unit).", at: node)
        return nil
    }
}

/// The catalogue by names.
///
/// *thread-safe*
struct PlanCatalogue {
    private let checks: [String: CheckDefinition]

    init(_ checks: [CheckDefinition]) {
        self.checks = Dictionary(checks.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The check of a name; `nil` with a diagnostic.
    func check(_ name: String, at node: YAMLNode, _ mistakes: PlanMistakes) -> CheckDefinition? {
        if let check = checks[name] { return check }
        mistakes.reportUnknown(name, "a check", among: checks.keys.sorted(), at: node)
        return nil
    }
}
