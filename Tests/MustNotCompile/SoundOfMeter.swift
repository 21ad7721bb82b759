// error: has no member 'withNext'
// What a permit to meter opens lends no sound.
import CaptureGate
import CaptureRecording

public func keep(_ permit: consuming DevicePermit) async throws(CaptureError) -> Int {
    #if VIOLATION
        var session = try await LevelSession(opening: permit)
        return session.withNext { _, bytes in bytes.byteCount } ?? 0
    #else
        let session = try await LevelSession(opening: permit)
        return session.format.channels
    #endif
}
