// error: extra argument 'for' in call
// The level that a session of frames needs is not the program's to say.
import CaptureGate

public func keep(_ permit: consuming DevicePermit) async throws(CaptureError) -> Int {
    #if VIOLATION
        let session = try await VideoSession(opening: permit, settings: VideoSettings(), for: .still)
    #else
        let session = try await VideoSession(opening: permit, settings: VideoSettings())
    #endif
    return session.format.width
}
