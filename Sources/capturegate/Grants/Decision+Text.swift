import CaptureGate
import LinuxSystem

extension Decision {
    /// Decision in words: `allow camera (video), any device, for good`.
    var phrase: String {
        "\(verdict.rawValue) \(capabilityPhrase), \(device.phrase), \(lifetime.phrase)"
    }

    /// Capability and level: `camera (video)`. Both may be a program's own words, so both pass the filter for
    /// visible text.
    var capabilityPhrase: String { "\(capability.rawValue.visible) (\(level.name.visible))" }

    /// Decision for programs.
    var json: JSONValue { json(and: []) }

    /// Decision for programs with further members at its end.
    func json(and more: [(String, JSONValue)]) -> JSONValue {
        .object(
            [
                ("id", id.map { .integer($0) } ?? .null), ("verdict", .string(verdict.rawValue)),
                ("capability", .string(capability.rawValue)), ("level", .string(level.name)),
                ("device", .string(device.description)), ("lifetime", .string(lifetime.word)),
                // Only a grant with an end has one; the other lifetimes are events, not moments.
                ("until_ns", lifetime.end.map { .integer($0) } ?? .null), ("user_id", .count(subject.userID)),
                ("executable", .string(subject.executable.path)), ("sha256", .string(subject.executable.sha256)),
                ("application", .optional(subject.application.map { "\($0.kind.rawValue):\($0.name)" })),
                ("decided_by", .string(decidedBy.description)),
                ("decided_at_ns", .integer(decidedAt.wallNanoseconds)),
            ] + more)
    }
}

extension DeviceSelector {
    var phrase: String { self == .any ? "any device" : description.visible }
}

extension Lifetime {
    /// Lifetime in the words of the command line, which scripts compare with.
    var word: String {
        switch self {
        case .once: "once"
        case .session: "session"
        case .until: "until"
        case .always: "always"
        }
    }

    /// Lifetime for people.
    var phrase: String {
        switch self {
        case .once: "for one capture"
        case .session: "for one session"
        case .until(let end): "until \(CivilTime.localText(nanoseconds: end.wallNanoseconds))"
        case .always: "permanently"
        }
    }

    /// End of a timed grant, nanoseconds since 1970; `nil` for all other lifetimes.
    var end: Int64? {
        if case .until(let end) = self { end.wallNanoseconds } else { nil }
    }
}
