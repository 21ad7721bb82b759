extension QueueCore {
    struct State {
        var isSuspended: Bool
        var ready = ReadyOperations()
        var live = Places<OperationNode>()
        var emptied: [Promise<Void>] = []

        init(isSuspended: Bool) {
            self.isSuspended = isSuspended
        }

        /// - Parameter ended: the operation in whose place it comes.
        /// - Returns: the priority of the starter to make, if one is needed.
        mutating func enqueue(_ operation: ReadyOperation, after ended: OperationNode? = nil) -> TaskPriority? {
            ready.append(operation)
            return starter(after: ended)
        }

        /// Removes what has ended, whose slot another one may want.
        /// - Returns: who waited for the last to end, and the priority of the starter to make, if one is needed.
        mutating func remove(_ node: OperationNode) -> ([Promise<Void>], TaskPriority?) {
            live.remove(node.place)
            guard live.isEmpty else { return ([], starter(after: node)) }
            defer { emptied = [] }
            return (emptied, nil)
        }

        private mutating func starter(after ended: OperationNode?) -> TaskPriority? {
            let comesBack = ended?.isBeingStarted.load(ordering: .relaxed) ?? false
            return comesBack || isSuspended ? nil : ready.expectForRest()
        }
    }
}
