// error: consumed more than once
// A device opens for one permit, once.
import CaptureGate

public func open(_ permit: consuming DevicePermit) async throws(CaptureError) {
    var session = try await AudioSession(opening: permit)
    session.start()
    #if VIOLATION
        var second = try await AudioSession(opening: permit)
        second.start()
    #endif
}
