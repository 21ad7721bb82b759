@_exported import CaptureEncoding
