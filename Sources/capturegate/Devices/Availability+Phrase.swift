import CaptureGate

extension Availability {
    /// For people: whether it can be had, and who has it.
    var phrase: String {
        switch self {
        case .available: "free"
        case .absent: "not there"
        case .busy(let holder):
            holder.map { "busy: \($0.command.visible), process \($0.processID)" } ?? "busy: its holder is hidden"
        }
    }

    var json: [(String, JSONValue)] {
        var holder = JSONValue.null
        if case .busy(let process?) = self {
            holder = ["pid": .count(process.processID), "command": .string(process.command)]
        }
        return [("available", .bool(isAvailable)), ("busy_holder", holder)]
    }
}
