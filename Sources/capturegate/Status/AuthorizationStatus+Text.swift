import CaptureGate

extension AuthorizationStatus {
    /// For programs.
    var word: String {
        switch self {
        case .notDetermined: "not_determined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorized: "authorized"
        }
    }

    /// For people.
    var phrase: String {
        switch self {
        case .notDetermined(let previous):
            previous == nil ? "not decided: it will ask" : "the program has changed since it was allowed: it will ask"
        case .restricted(let restriction): "restricted: \(restriction.reason.visible)"
        case .denied(let decision): "denied\(Self.origin(decision))"
        case .authorized(let grant):
            "allowed (\(grant.level.name.visible), \(grant.lifetime.phrase))\(Self.origin(grant.decision))"
        }
    }

    var decision: Decision? {
        switch self {
        case .denied(let decision): decision
        case .authorized(let grant): grant.decision
        case .notDetermined, .restricted: nil
        }
    }

    private static func origin(_ decision: Decision) -> String {
        let number = decision.id.map { " #\($0)" } ?? ""
        return "\(number) by \(decision.decidedBy.description.visible)"
    }
}
