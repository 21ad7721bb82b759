import CaptureGate

extension Decision {
    /// `allow camera (video), any device, for good`
    var phrase: String {
        "\(verdict.rawValue) \(capabilityPhrase), \(device.phrase), \(lifetime.phrase)"
    }

    /// `camera (video)`: both are a program's own words where the capability is.
    var capabilityPhrase: String { "\(capability.rawValue.visible) (\(level.name.visible))" }

    var json: JSONValue { json(and: []) }

    func json(and more: [(String, JSONValue)]) -> JSONValue {
        .object(
            [
                ("id", id.map { .integer($0) } ?? .null), ("verdict", .string(verdict.rawValue)),
                ("capability", .string(capability.rawValue)), ("level", .string(level.name)),
                ("device", .string(device.description)), ("lifetime", .string(lifetime.word)),
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
    /// The word of the command line.
    var word: String {
        switch self {
        case .once: "once"
        case .session: "session"
        case .until: "until"
        case .always: "always"
        }
    }

    var phrase: String {
        switch self {
        case .once: "for one capture"
        case .session: "for one session"
        case .until(let end): "until \(WallTime.text(nanoseconds: end.wallNanoseconds))"
        case .always: "for good"
        }
    }

    /// Nanoseconds since 1970.
    var end: Int64? {
        if case .until(let end) = self { end.wallNanoseconds } else { nil }
    }
}
