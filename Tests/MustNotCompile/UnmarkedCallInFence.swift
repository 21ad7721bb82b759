// error: called function is not available in this module and can have unpredictable performance
// A C function that does not carry the fence's mark may do anything, so the fence refuses it.
// flags: -Xcc -DCAPTUREGATE_SHIMS
import CMedia

@_noLocks @_noAllocation
public func commit(_ descriptor: Int32) -> Int32 {
    #if VIOLATION
        return cm_close(descriptor)
    #else
        return cm_eventfd_write(descriptor)
    #endif
}
