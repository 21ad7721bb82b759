/// What an operation that executes holds, so that what it waits for does not wait for it.
struct Holdings: Sendable {
    @TaskLocal static var current = Holdings()

    /// Categories of mutual exclusion.
    var categories: Set<String> = []
    /// Lanes of queues in which it has a slot.
    var lanes: Set<LockTable.Lane> = []
}

extension Holdings {
    var isEmpty: Bool { categories.isEmpty && lanes.isEmpty }
}
