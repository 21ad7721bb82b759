/// What an operation that executes holds, so that what it waits for does not wait for it.
struct Holdings: Sendable {
    @TaskLocal static var current = Holdings()

    /// Categories of mutual exclusion.
    var categories: Set<String> = []
    /// Lanes of queues in which it has a slot.
    var lanes: Set<LockTable.Lane> = []
    /// Whether somebody that executes waits for it.
    var isNested = false
}

extension Holdings {
    var isEmpty: Bool { categories.isEmpty && lanes.isEmpty }

    /// The same and a slot.
    func with(_ lane: LockTable.Lane?) -> Holdings {
        guard let lane else { return self }
        var copy = self
        copy.lanes.insert(lane)
        return copy
    }

    /// The same for a part of the operation that holds it.
    var nested: Holdings {
        var copy = self
        copy.isNested = true
        return copy
    }
}
