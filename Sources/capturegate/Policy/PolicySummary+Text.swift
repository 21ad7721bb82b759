import GateStore

extension PolicySummary {
    var phrase: String {
        switch self {
        case .none: "no policy: the person decides"
        case .rules(let count, let files):
            "\(NumberText.counted(count, "rule")) in \(NumberText.counted(files.count, "file"))"
        case .unreadable(let faults):
            "can't be followed, so nothing is allowed: \(faults.first.map(\.description.visible) ?? "unknown fault")"
        }
    }

    var json: JSONValue {
        switch self {
        case .none: ["state": "none", "rules": 0, "files": [], "diagnostics": []]
        case .rules(let count, let files):
            ["state": "rules", "rules": .count(count), "files": .strings(files), "diagnostics": []]
        case .unreadable(let faults):
            ["state": "unreadable", "rules": 0, "files": [], "diagnostics": .strings(faults.map(\.description))]
        }
    }
}
