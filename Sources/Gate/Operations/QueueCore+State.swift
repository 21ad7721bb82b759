extension QueueCore {
    struct State {
        let slots: Slots
        var isSuspended: Bool
        var ready = ReadyOperations()
        var live = Places<OperationNode>()
        var emptied: [Promise<Void>] = []

        init(slots: Slots, isSuspended: Bool) {
            self.slots = slots
            self.isSuspended = isSuspended
        }

        /// - Parameter ended: the operation in whose place it comes.
        /// - Returns: the priority of the starter to make, if one is needed.
        mutating func enqueue(_ operation: ReadyOperation, after ended: OperationNode? = nil) -> TaskPriority? {
            ready.append(operation)
            return starter(after: ended)
        }

        /// Removes what has ended, whose slot another one may want.
        mutating func remove(_ node: OperationNode) -> Removal {
            live.remove(node.place)
            guard live.isEmpty else { return Removal(starter: starter(after: node)) }
            defer { emptied = [] }
            // What still stands in line was cancelled there; it would keep the queue, as the queue keeps it.
            return Removal(emptied: emptied, leftover: ready.removeAll())
        }

        private mutating func starter(after ended: OperationNode?) -> TaskPriority? {
            let comesBack = ended?.isBeingStarted.load(ordering: .relaxed) ?? false
            return comesBack || isSuspended ? nil : ready.expectForRest { slots.isFree }
        }
    }

    /// What is to be done when an operation has been removed.
    struct Removal {
        /// The priority of the starter to make, if one is needed.
        var starter: TaskPriority?
        /// Who waited for the last to end.
        var emptied: [Promise<Void>] = []
        var leftover: [ReadyOperation] = []
    }
}
