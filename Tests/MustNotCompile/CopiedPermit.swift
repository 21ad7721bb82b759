// error: 'permit' consumed more than once
// A permit is for one capture.
import CaptureGate

public func capture(_ permit: consuming Permit) -> Int {
    permit.devices.count
}

public func twice(_ permit: consuming Permit) -> Int {
    #if VIOLATION
        return capture(permit) + capture(permit)
    #else
        return capture(permit)
    #endif
}
