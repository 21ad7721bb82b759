import CaptureGate
import GateStore

/// The grants and the audit log of this user.
enum UserStore {
    static func open() throws(CaptureError) -> SQLiteGrantStore {
        try SQLiteGrantStore(directory: SQLiteGrantStore.userDirectory())
    }

    /// The log alone, also of a store by which nothing may be decided any more.
    static func openLog() throws(CaptureError) -> AuditLog {
        try SQLiteGrantStore(inspecting: SQLiteGrantStore.userDirectory()).audit
    }
}
