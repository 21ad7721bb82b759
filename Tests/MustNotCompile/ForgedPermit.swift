// error: initializer is inaccessible
// Only the gate makes permits.
import CaptureGate

public func capture(_ permit: consuming Permit) -> Int {
    permit.devices.count
}

#if VIOLATION
    public func forge() -> Int {
        capture(Permit(devices: []))
    }
#endif
