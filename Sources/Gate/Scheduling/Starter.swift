/// What a task knows that starts ready operations, one after another.
struct Starter {
    enum Step {
        /// Start this, and make another starter if there is a priority.
        case start(ReadyOperation, TaskPriority?)
        /// Nothing is ready: come back soon.
        case pause
        case leave
    }

    let priority: TaskPriority
    /// It is the one of its priority that is on its way.
    private var isExpected = true
    /// What it started last.
    private var last: OperationNode?
    private var started = 0
    private var pauses = 0

    init(priority: TaskPriority) {
        self.priority = priority
    }

    var isDueToYield: Bool { started.isMultiple(of: 64) }

    /// How often it looks again where nothing is ready: making a starter costs more than a look.
    private static var patience: Int { 4 }

    mutating func step(_ ready: inout ReadyOperations, _ slots: Slots) -> Step {
        arrive(&ready)
        guard let operation = ready.popFirst(slots.take) else { return pause(&ready) }
        operation.node.isBeingStarted.store(true, ordering: .relaxed)
        last = operation.node
        started += 1
        pauses = 0
        return .start(operation, ready.expectForRest { slots.isFree })
    }

    mutating func leave(_ ready: inout ReadyOperations) -> Step {
        arrive(&ready)
        return .leave
    }

    private mutating func arrive(_ ready: inout ReadyOperations) {
        last?.isBeingStarted.store(false, ordering: .relaxed)
        last = nil
        if isExpected { ready.arrive(priority) }
        isExpected = false
    }

    private mutating func pause(_ ready: inout ReadyOperations) -> Step {
        guard pauses < Self.patience, ready.expect(priority) else { return .leave }
        isExpected = true
        pauses += 1
        return .pause
    }
}
