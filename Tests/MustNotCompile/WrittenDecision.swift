// error: cannot find 'SQLiteGrantStore' in scope
// Decisions are written by the gate and by the command line; a program has no store to write them into.
import CaptureGate
import GateStore

public func allow(_ decision: Decision, _ event: AuditEvent) throws {
    #if VIOLATION
        let store = try SQLiteGrantStore(directory: "/tmp/store")
        _ = try store.record([decision], audit: event)
    #endif
}
