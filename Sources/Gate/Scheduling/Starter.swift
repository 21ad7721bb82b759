/// What a task knows that starts ready operations, one after another.
struct Starter {
    enum Step {
        /// Start this, and make another starter if there is a level.
        case start(ReadyOperation, UInt8?)
        /// Let others have the thread, and come back.
        case pause
        /// Make another starter if there is a level, and end.
        case leave(UInt8?)
    }

    let level: UInt8
    /// What it runs in.
    let task: RunningTask?
    /// Its task has been cancelled: it starts nothing else.
    var isRetired = false
    /// It has a slot left from what it ran.
    var hasSlot = false
    /// It is the one of its level that is on its way.
    private var isExpected = true
    private var started = 0
    private var pauses = 0

    init(level: UInt8, task: RunningTask?) {
        self.level = level
        self.task = task
    }

    /// How often it looks again where nothing is ready: making a starter costs more than a look.
    private static var patience: Int { 4 }
    /// After how many operations it lets others have the thread.
    private static var turn: Int { 64 }

    mutating func step(_ state: inout QueueCore.State, _ core: QueueCore) -> Step {
        if isExpected { state.ready.arrive(level) }
        isExpected = false
        if state.isSuspended || isRetired || started == Self.turn || core.hasContenders { giveSlot(core) }
        if state.isSuspended { return .leave(nil) }
        if isRetired { return .leave(state.expectForRest(core)) }
        if started == Self.turn { return pause(&state.ready) }
        return next(&state, core)
    }

    private mutating func next(_ state: inout QueueCore.State, _ core: QueueCore) -> Step {
        let had = hasSlot
        let operation = pop(&state, core)
        let isPassed = had && !hasSlot
        giveSlot(core)
        guard let operation else { return pauses < Self.patience ? pause(&state.ready) : .leave(nil) }
        started += 1
        pauses = 0
        return .start(operation, state.expectForRest(core, isPassed: isPassed))
    }

    private mutating func pop(_ state: inout QueueCore.State, _ core: QueueCore) -> ReadyOperation? {
        if core.inbox.highestLevel > state.ready.highestLevel { state.ready.append(allOf: core.inbox) }
        if let operation = state.ready.popFirst({ takeSlot(core) }) { return operation }
        state.ready.append(allOf: core.inbox)
        return state.ready.popFirst { takeSlot(core) }
    }

    /// The slot of what it ran goes to what it runs next.
    private mutating func takeSlot(_ core: QueueCore) -> Bool {
        guard hasSlot else { return core.slots.take() }
        hasSlot = false
        return true
    }

    private mutating func giveSlot(_ core: QueueCore) {
        if hasSlot { core.slots.give() }
        hasSlot = false
    }

    /// It is the next to come, where no other one is.
    private mutating func pause(_ ready: inout ReadyOperations) -> Step {
        guard ready.expect(level) else { return .leave(nil) }
        isExpected = true
        started = 0
        pauses += 1
        return .pause
    }
}
