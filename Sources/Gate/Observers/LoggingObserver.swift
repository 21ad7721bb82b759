import CaptureBase
import Logging

/// Writes each step of an operation to a log: refusals and failures as notices, all else as debugging.
///
/// *thread-safe*
public struct LoggingObserver: OperationObserver {
    private let log: Logger

    public init(_ log: Logger) {
        self.log = log
    }

    public func didAttach(_ operation: OperationIdentity) { debug(operation, "was added") }

    public func willEvaluate(_ operation: OperationIdentity, in context: OperationContext) {
        debug(operation, "evaluates its conditions")
    }

    public func didProduce(_ produced: String, for operation: OperationIdentity, in context: OperationContext) {
        debug(operation, "waits for \(produced)")
    }

    public func willExecute(_ operation: OperationIdentity, in context: OperationContext) {
        debug(operation, "executes")
    }

    public func didCancel(_ operation: OperationIdentity) { debug(operation, "is to end") }

    public func didFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome) {
        switch outcome {
        case .succeeded: debug(operation, "succeeded")
        case .cancelled: debug(operation, "was cancelled")
        case .refused(let error):
            log.notice("\(operation.name) was refused: \(error.message)", metadata: mark(operation))
        case .failed(let error): log.notice("\(operation.name) failed: \(text(of: error))", metadata: mark(operation))
        }
    }

    private func debug(_ operation: OperationIdentity, _ step: String) {
        log.debug("\(operation.name) \(step)", metadata: mark(operation))
    }

    private func mark(_ operation: OperationIdentity) -> Logger.Metadata { ["operation": "\(operation.number)"] }

    private func text(of error: any Error) -> String { (error as? CaptureError)?.message ?? "\(error)" }
}
