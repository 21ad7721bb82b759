@_exported import CaptureBase
@_exported import Gate
