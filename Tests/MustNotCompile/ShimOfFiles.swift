// error: 'cs_open' is unavailable in Swift: the C shims are CaptureGate's own
// The C shims are called from this package's own targets alone.
import CSystem
import CaptureGate

public func open(_ path: String) -> Int32 {
    #if VIOLATION
        return cs_open(path, 0, 0)
    #else
        return -1
    #endif
}
