/// How an operation ended: its result behind a type that needs no type arguments.
struct OperationEnd: Sendable {
    private let box: any EndBox

    init<Output: Sendable, Failure: Error>(_ result: OperationResult<Output, Failure>) {
        box = ResultBox(result: result)
    }

    var outcome: OperationOutcome { box.outcome }

    /// The result, by the type with which it was made: a handle has that of its operation.
    func result<Output: Sendable, Failure: Error>() -> OperationResult<Output, Failure> {
        unsafeDowncast(box, to: ResultBox<Output, Failure>.self).result
    }
}

private protocol EndBox: AnyObject, Sendable {
    var outcome: OperationOutcome { get }
}

private final class ResultBox<Output: Sendable, Failure: Error>: EndBox {
    let result: OperationResult<Output, Failure>

    init(result: OperationResult<Output, Failure>) {
        self.result = result
    }

    var outcome: OperationOutcome { OperationOutcome(result) }
}
