// error: 'PCMSource' initializer is inaccessible due to 'package' protection level
// A microphone opens for a permit; the module that opens it shows other packages nothing to open one with.
import CaptureRealtime

public func listen(_ settings: PCMSettings) throws(RealtimeFault) -> Int {
    #if VIOLATION
        return try PCMSource(opening: "hw:0,0", asked: settings).settings.rate
    #else
        return settings.rate
    #endif
}
