@_exported import CaptureBase
