extension QueueCore {
    struct State {
        var isSuspended: Bool
        var ready = ReadyOperations()
        /// Who waits for the last operation to end.
        var emptied: [Promise<Void>] = []

        /// Something came in.
        /// - Returns: the level of the starter to make, if one is needed.
        mutating func notice(_ core: QueueCore) -> UInt8? {
            // Who is on its way will look.
            if isSuspended || ready.isExpecting(atLeast: core.inbox.highestLevel) { return nil }
            ready.append(allOf: core.inbox)
            return ready.expectForRest { core.slots.isFree }
        }

        /// - Parameter isPassed: whether no slot can have come free.
        /// - Returns: the level of the starter to make, where something is ready and nobody comes.
        mutating func expectForRest(_ core: QueueCore, isPassed: Bool = false) -> UInt8? {
            if isSuspended { return nil }
            if let level = ready.expectForRest({ !isPassed && core.slots.isFree }) { return level }
            return core.inbox.highestLevel < 0 ? nil : notice(core)
        }
    }
}
