// error: cannot find 'cm_pcm_open' in scope
// The C shims show what they have to this package's own targets alone.
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
