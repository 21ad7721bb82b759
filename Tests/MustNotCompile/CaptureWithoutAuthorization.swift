// error: does not conform to protocol 'CaptureOperation'
// An operation that captures says what it needs.
import CaptureGate

public struct Memo: CaptureOperation {
    #if !VIOLATION
        public let authorization = AuthorizedFor(Capability.Microphone(.record, purpose: "Record a voice memo"))
    #endif

    public func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) -> Int {
        permit.devices.count
    }
}
