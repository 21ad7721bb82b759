// error: escape
// The bytes of a frame are lent: they are the driver's own buffer, and go back to it.
import CaptureGate

public func keep(_ session: inout VideoSession) -> Int {
    #if VIOLATION
        var kept: RawSpan?
        _ = session.withNext { _, bytes in kept = bytes }
        return kept?.byteCount ?? 0
    #else
        return session.withNext { _, bytes in bytes.byteCount } ?? 0
    #endif
}
