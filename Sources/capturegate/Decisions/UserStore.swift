import CaptureGate
import FoundationEssentials
import GateStore

/// The grants and the audit log of this user.
enum UserStore {
    static func open() throws(CaptureError) -> SQLiteGrantStore {
        let environment = ProcessInfo.processInfo.environment
        return try SQLiteGrantStore(directory: SQLiteGrantStore.defaultDirectory(environment: environment))
    }
}
