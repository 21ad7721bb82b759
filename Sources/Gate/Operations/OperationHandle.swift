import CaptureBase

/// Reference to an operation that others can wait for: every handle that `GateQueue.add` returns.
public protocol OperationReference: Sendable {
    /// The operation without its types.
    var ticket: OperationTicket { get }
}

/// Operation in a queue without its types, to name it as a dependency.
///
/// *thread-safe*
public struct OperationTicket: Sendable {
    let node: OperationNode

    @usableFromInline
    init(node: OperationNode) {
        self.node = node
    }
}

/// An operation in a queue: its result, its dependencies, and the way to cancel it.
///
/// *thread-safe*
public struct OperationHandle<Output: Sendable, Failure: Error>: OperationReference {
    public let ticket: OperationTicket

    /// - Parameter node: of an operation with this output and this failure.
    @inlinable
    init(_ node: OperationNode) {
        ticket = OperationTicket(node: node)
    }

    /// Waits for the result. Cancelling the task that waits does not cancel the operation.
    public var result: OperationResult<Output, Failure> {
        get async {
            let wait = HeldLocks.beginWait(unless: isFinished)
            defer { wait.end() }
            return await ticket.node.result.typed()
        }
    }

    /// Waits for the output.
    /// - Throws: the reason why it has no output.
    public func value() async throws(OperationError<Failure>) -> Output { try await result.get() }

    /// Waits for the output of `execute`, even of an operation that was cancelled with an error; `nil` if it has no output.
    public var output: Output? {
        get async {
            let wait = HeldLocks.beginWait(unless: isFinished)
            defer { wait.end() }
            return await ticket.node.result.output as? Output
        }
    }

    /// Waits for the error that `execute` threw, also of an operation that was cancelled, with an error or without; `nil` if
    /// it threw none.
    public var failure: Failure? {
        get async {
            let wait = HeldLocks.beginWait(unless: isFinished)
            defer { wait.end() }
            return await ticket.node.result.thrown as? Failure
        }
    }

    public var isFinished: Bool { ticket.node.isFinished }

    /// Set when the operation was cancelled before it had its result. The result may be a success: what it could do until
    /// then.
    public var isCancelled: Bool { ticket.node.isCancelled }

    /// Before it executes: it never will. While it executes: cancels its task, and it ends when `execute` returns.
    public func cancel() { ticket.node.carryOut(ticket.node.cancel(with: nil)) }

    /// Cancels it with an error. The result is `.refused` with that error, even if `execute` returns or throws something
    /// else. The first cancellation counts.
    public func cancel(with error: CaptureError) { ticket.node.carryOut(ticket.node.cancel(with: error)) }

    /// Makes this operation wait for another one, in any queue of the same gatekeeper.
    /// - Throws: `.deadlock` at once if the other one waits for this one; `.usage` if this one has begun.
    public func addDependency(_ dependency: some OperationReference) throws(CaptureError) {
        try ticket.node.wait(for: dependency.ticket.node)
    }
}

extension OperationNode {
    /// Under the lock of all dependencies of the gatekeeper: two threads could close a circle together.
    fileprivate func wait(for dependency: OperationNode) throws(CaptureError) {
        guard let scheduler else { return }
        let problem = scheduler.gatekeeper.locks.dependencies.withLock { _ -> CaptureError? in
            if isWaitedFor(by: dependency) { return .circle(work.name, dependency.work.name) }
            if !scheduler.wait(self, for: dependency) { return .begun(work.name) }
            return nil
        }
        if let problem { throw problem }
    }

    /// True if `other` waits for this one, directly or indirectly. Without recursion, since chains are long.
    private func isWaitedFor(by other: OperationNode) -> Bool {
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var next = [self]
        while let node = next.popLast() {
            if node === other { return true }
            for dependent in node.dependents where seen.insert(ObjectIdentifier(dependent)).inserted {
                next.append(dependent)
            }
        }
        return false
    }
}

extension CaptureError {
    fileprivate static func circle(_ name: String, _ dependency: String) -> CaptureError {
        CaptureError(
            .deadlock, "\(name) and \(dependency) would wait for each other.",
            remedies: [Remedy("Remove one of the dependencies.")])
    }

    fileprivate static func begun(_ name: String) -> CaptureError {
        CaptureError(
            .usage, "\(name) has started, so its dependencies can't change.",
            remedies: [Remedy("Give the dependencies when you add it, or add it to a suspended queue.")])
    }
}
