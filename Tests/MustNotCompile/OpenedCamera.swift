// error: 'CameraSource' initializer is inaccessible due to 'package' protection level
// A camera opens for a permit; the module that opens it shows other packages nothing to open one with.
import CaptureRealtime

public func fill(_ settings: CameraSettings) throws(RealtimeFault) -> Int {
    #if VIOLATION
        return try CameraSource(opening: "/dev/video0", asked: settings).bufferCount
    #else
        return settings.width
    #endif
}
