// error: 'cm_pcm_open' is unavailable in Swift: the C shims are CaptureGate's own
// The C shims are called from this package's own targets alone.
import CMedia
import CaptureGate

public func open(_ name: String) -> Int32 {
    #if VIOLATION
        var pcm: OpaquePointer?
        return cm_pcm_open(&pcm, name)
    #else
        return -1
    #endif
}
