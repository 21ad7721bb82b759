import Gate
import GateTestKit

/// An observer that records its calls, in order, as words such as "will execute".
///
/// The list is given to it, so that an operation can write into the same one, and a test compares the whole order:
/// `#expect(steps.all == ["attached capture", "will evaluate", …])`.
struct Steps: OperationObserver {
    let steps: Record<String>

    init(_ steps: Record<String>) { self.steps = steps }

    func didAttach(_ operation: OperationIdentity) { steps.append("attached \(operation.name)") }
    func willEvaluate(_ operation: OperationIdentity, in context: OperationContext) { steps.append("will evaluate") }
    func didProduce(_ produced: String, for operation: OperationIdentity, in context: OperationContext) {
        steps.append("produced \(produced)")
    }
    func willExecute(_ operation: OperationIdentity, in context: OperationContext) { steps.append("will execute") }
    func didExecute(_ operation: OperationIdentity, in context: OperationContext) { steps.append("did execute") }
    func didCancel(_ operation: OperationIdentity, with error: CaptureError?) { steps.append("cancelled") }
    func willFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome, in context: OperationContext) {
        steps.append("will finish")
    }
    func didFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome) { steps.append("did finish") }
}
