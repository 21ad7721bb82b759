// error: does not conform to protocol 'CaptureOperation'
// An operation that captures takes the proof that it may.
import CaptureGate

public struct Memo: CaptureOperation {
    public let authorization = AuthorizedFor(Capability.Microphone(.record, purpose: "Record a voice memo"))

    #if VIOLATION
        public func execute(in context: OperationContext) async throws(CaptureError) -> Int { 0 }
    #else
        public func execute(
            with permit: consuming Permit, in context: OperationContext
        ) async throws(CaptureError) -> Int { 0 }
    #endif
}
