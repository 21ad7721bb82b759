import CaptureRealtime

/// What stands before each period and each picture: number, time, size, and what is missing before it.
public typealias FrameHeader = CaptureRealtime.FrameHeader
/// What was unusual about a period or a picture.
public typealias FrameFlags = CaptureRealtime.FrameFlags
