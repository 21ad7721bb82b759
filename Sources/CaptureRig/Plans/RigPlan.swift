import CaptureBase
import LinuxSystem

/// A plan after reading: includes are merged, matrices and repeats are written out, names are checked.
///
/// *thread-safe*
package struct RigPlan: Hashable, Sendable {
    /// Name for reports; the file's without its ending where the plan has none.
    package var name: String
    package var profile: Profile
    /// Directory of the golden files, absolute.
    package var golden: String
    package var devices: [PlannedDevice]
    package var steps: [PlanStep]

    package typealias Profile = Rig.Profile

    package init(name: String, profile: Profile, golden: String, devices: [PlannedDevice], steps: [PlanStep]) {
        self.name = name
        self.profile = profile
        self.golden = golden
        self.devices = devices
        self.steps = steps
    }
}

extension RigPlan {
    /// Digest of everything that decides the result of a check on an unchanged bench: the check with its devices, parameters,
    /// limits and programs, but not its name.
    ///
    /// - Returns: 16 hexadecimal digits; `nil` without memory.
    func digest(of check: PlannedCheck) -> String? {
        let devices = check.devices.map { name in self.devices.first { $0.name == name }?.json ?? .string(name) }
        let limits = check.limits.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) }
        let parameters = check.parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) }
        let document: JSONValue = [
            "check": .string(check.check), "devices": .array(devices), "parameters": .object(parameters),
            "limits": .object(limits), "before": .array(check.before.map(\.json)),
            "after": .array(check.after.map(\.json)),
        ]
        return (try? SHA256.hex(of: document.text.utf8)).map { String($0.prefix(16)) }
    }
}

/// A device that a plan names, and how it is found. *thread-safe*
package struct PlannedDevice: Hashable, Sendable {
    /// Name in the plan.
    package var name: String
    package var kind: Kind
    package var selector: Selector

    package typealias Kind = CheckDefinition.DeviceKind

    /// Way to find a device among those of the machine.
    package enum Selector: Hashable, Sendable {
        /// By its stable id.
        case id(String)
        /// By the device's properties. Each must match; `*` matches any characters. `index` picks one of several, from 0 in
        /// the order of ids. If it is `nil`, exactly one device must match.
        case match(name: String?, driver: String?, serial: String?, index: Int?)
    }

    package init(name: String, kind: Kind, selector: Selector) {
        self.name = name
        self.kind = kind
        self.selector = selector
    }
}

/// A step of a plan. Steps run one after another. *thread-safe*
package enum PlanStep: Hashable, Sendable {
    case check(PlannedCheck)
    /// All at once.
    case parallel([PlannedCheck])
    case command(PlanCommand)
}

/// One check of a plan, in one variant of its matrix and one of its repeats. *thread-safe*
package struct PlannedCheck: Hashable, Sendable {
    /// Name in reports, as `CheckResult.name`.
    package var name: String
    /// Name in the catalogue.
    package var check: String
    /// Names of the plan's devices, one for each of the check's kinds.
    package var devices: [String]
    /// Choices of the matrix, in the plan's order. Their values are in `parameters`, too.
    package var variant: [CheckResult.Choice]
    /// Number of the repeat, from 1.
    package var round: Int
    /// Values by the parameter's name, the catalogue's standard values included.
    package var parameters: [String: PlanValue]
    /// Limits by the measure's name, for those that have one: the plan's, otherwise the profile's.
    package var limits: [String: Limit]
    package var before: [PlanCommand]
    /// Runs also after a check that failed.
    package var after: [PlanCommand]

    package init(
        name: String, check: String, devices: [String], variant: [CheckResult.Choice] = [], round: Int = 1,
        parameters: [String: PlanValue] = [:], limits: [String: Limit] = [:], before: [PlanCommand] = [],
        after: [PlanCommand] = []
    ) {
        self.name = name
        self.check = check
        self.devices = devices
        self.variant = variant
        self.round = round
        self.parameters = parameters
        self.limits = limits
        self.before = before
        self.after = after
    }
}

/// Value of a parameter, checked against its kind. *thread-safe*
package enum PlanValue: Hashable, Sendable {
    case duration(Duration)
    case count(Int)
    case number(Double)
    case size(width: Int, height: Int)
    case rate(numerator: Int, denominator: Int)
    case word(String)
    case words([String])
    /// Absolute.
    case path(String)
    case command(PlanCommand)
}

/// A program that a plan runs: power a port, switch a light. *thread-safe*
package struct PlanCommand: Hashable, Sendable {
    /// The program, by its path or searched on PATH, and its arguments. No shell reads them.
    package var arguments: [String]
    /// Time after which it is killed.
    package var limit: Duration

    package init(_ arguments: [String], limit: Duration) {
        self.arguments = arguments
        self.limit = limit
    }
}

// Members that two different plans can't have in common: equal text means the same check.

extension PlannedDevice {
    fileprivate var json: JSONValue {
        switch selector {
        case .id(let id): ["kind": .string(kind.rawValue), "id": .string(id)]
        case .match(let name, let driver, let serial, let index):
            .members([
                ("kind", .string(kind.rawValue)), ("name", name.map { .string($0) }),
                ("driver", driver.map { .string($0) }), ("serial", serial.map { .string($0) }),
                ("index", index.map { .count($0) }),
            ])
        }
    }
}

extension PlanValue {
    fileprivate var json: JSONValue {
        switch self {
        case .duration(let time): ["duration": .nanoseconds(time)]
        case .count(let count): ["count": .count(count)]
        case .number(let number): ["number": .number(number)]
        case .size(let width, let height): ["size": [.count(width), .count(height)]]
        case .rate(let numerator, let denominator): ["rate": [.count(numerator), .count(denominator)]]
        case .word(let word): ["word": .string(word)]
        case .words(let words): ["words": .strings(words)]
        case .path(let path): ["path": .string(path)]
        case .command(let command): ["command": command.json]
        }
    }
}

extension PlanCommand {
    fileprivate var json: JSONValue { ["run": .strings(arguments), "within": .nanoseconds(limit)] }
}
