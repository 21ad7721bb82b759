import CMedia
import CaptureBase

/// A V4L2 capture device, opened, set up, and its buffers mapped; deinit closes it.
///
/// *session-bound*; *realtime-safe* while its loop runs
public struct CameraSource: ~Copyable, Sendable {
    /// Requested settings.
    public let asked: CameraSettings
    /// Obtained format.
    public let got: CameraFormat
    public let buffers: FrameBuffers
    public var allowsRealtimePriority: Bool { true }

    let node: CameraDescriptor
    let pollSet: PollSet
    /// Bounds of ``buffers``.
    let bounds: BufferBounds
    /// Time from a frame's beginning to its end, ns: the difference between the two kinds of driver timestamps.
    let endLag: Int64
    var monitor: SignalMonitor
    /// State of the input's signal when the camera was opened.
    public let signal: SignalState

    /// Opens a video node, sets it up and maps its buffers. Nothing is captured before the loop starts it.
    ///
    /// - Parameters:
    ///   - path: A node such as `/dev/video0`.
    ///   - asked: Requested settings.
    ///   - buffers: Number to ask the driver for, 3…32; ``bufferCount`` is the number it gave.
    /// - Throws: ENOENT, ENODEV or ENXIO: there is no such device, or it captures no video. EBUSY: another process
    ///   holds it. EACCES: the node's permissions refuse. ENOMEM: no memory for three buffers. EFBIG: no frame of that
    ///   size needs as much memory as the driver claims; none is reserved. The corresponding C calls are `open`,
    ///   `VIDIOC_S_FMT`, `VIDIOC_S_PARM`, `VIDIOC_REQBUFS` and `mmap`.
    package init(
        opening path: String, asked: CameraSettings = CameraSettings(), buffers: Int = 8
    ) throws(RealtimeFault) {
        var node = try CameraDescriptor(opening: path)
        let input = try CameraInput.selected(node, asked: asked)
        let got = try CameraNegotiation.negotiate(node, asked: asked, input)
        try got.check()
        // Subscribed before the buffers exist: changes meanwhile are reported, too.
        let monitor = SignalMonitor(node.descriptor, input, frameNanoseconds: got.bufferNanoseconds)
        // A frame takes two buffers if each holds a field.
        let most = got.isAlternating ? 2 * buffers : buffers
        let mapped = try Self.map(&node, count: got.bufferCount(atMost: most))
        // Otherwise a frame would be searched for in planes that do not exist.
        guard mapped.planes == got.planes else { throw RealtimeFault(.queryBuffer, result: -EPROTO) }
        self.asked = asked
        self.got = got
        self.buffers = mapped
        self.monitor = monitor
        signal = input.state
        bounds = mapped.bounds
        endLag = DequeuedBuffer.lag(of: got.bufferNanoseconds)
        pollSet = PollSet(reading: node.descriptor, exceptions: true)
        self.node = node
    }

    public var format: CameraFormat { got }

    /// True if a shutter covers the lens, as far as the camera reports it. The control is `V4L2_CID_PRIVACY`.
    public var isCovered: Bool {
        var value: Int32 = 0
        return unsafe cm_v4l2_g_ctrl(node.descriptor, UInt32(V4L2_CID_PRIVACY), &value) >= 0 && value != 0
    }

    /// Number of buffers that the driver gave.
    public var bufferCount: Int { buffers.count }

    /// Requests and maps the buffers. Three at least: two for the device and one for the reader.
    private static func map(_ node: inout CameraDescriptor, count: Int) throws(RealtimeFault) -> FrameBuffers {
        let (descriptor, type) = (node.descriptor, node.bufferType)
        let asked = UInt32(min(max(count, 3), FrameBuffers.most))
        let given = try node.requestBuffers(asked)
        guard given >= 3 else { throw RealtimeFault(.requestBuffers, result: -ENOMEM) }
        var location = cm_v4l2_place()
        _ = try unsafe checked(.queryBuffer, cm_v4l2_querybuf(descriptor, type, 0, &location))
        // A driver may give more than requested; 32 is the maximum.
        return try unsafe FrameBuffers(count: min(given, FrameBuffers.most), planes: Int(location.planes)) {
            (buffer, plane) throws(RealtimeFault) in
            try unsafe map(descriptor, type, buffer, plane)
        }
    }

    private static func map(
        _ descriptor: Int32, _ type: UInt32, _ buffer: Int, _ plane: Int
    ) throws(RealtimeFault) -> UnsafeMutableRawBufferPointer {
        var location = cm_v4l2_place()
        _ = try unsafe checked(.queryBuffer, cm_v4l2_querybuf(descriptor, type, UInt32(buffer), &location))
        let length = plane == 0 ? location.length.0 : plane == 1 ? location.length.1 : location.length.2
        let offset = plane == 0 ? location.offset.0 : plane == 1 ? location.offset.1 : location.offset.2
        var address: UnsafeMutableRawPointer?
        _ = try unsafe checked(.mapBuffer, cm_map(descriptor, Int64(offset), Int64(length), &address))
        return unsafe UnsafeMutableRawBufferPointer(start: address, count: Int(length))
    }
}

extension CameraSource {
    /// Starts streaming (VIDIOC_STREAMON).
    @_noLocks @_noAllocation
    public mutating func start() -> RealtimeFault? {
        let result = cm_v4l2_streamon(node.descriptor, node.bufferType)
        return result < 0 ? RealtimeFault(.streamOn, result: result) : nil
    }

    /// Stops streaming (VIDIOC_STREAMOFF), which takes all buffers from the driver, filled or not.
    @_noLocks @_noAllocation
    public mutating func stop() {
        _ = cm_v4l2_streamoff(node.descriptor, node.bufferType)
    }

    /// Gives a buffer to the driver (VIDIOC_QBUF).
    @_noLocks @_noAllocation
    public mutating func queue(_ buffer: Int) -> RealtimeFault? {
        let result = cm_v4l2_qbuf(node.descriptor, node.bufferType, UInt32(truncatingIfNeeded: buffer))
        return result < 0 ? RealtimeFault(.queueBuffer, result: result) : nil
    }

    /// Waits for a buffer, an event or the control. After a fatal error or unplugging, poll reports only that there is an error. To
    /// find the cause, dequeue a buffer: that call fails with it.
    @_noLocks @_noAllocation
    public mutating func wait(control: Int32, milliseconds: Int32) -> SourceWakeup {
        let called = pollSet.wait(control: control, milliseconds: milliseconds)
        if called < 0 { return .failed(RealtimeFault(.poll, result: called)) }
        if called == 0 { return monitor.starved() ? .ready : .quiet }
        guard pollSet.hasExceptions() else { return pollSet.wakeup() }
        monitor.called()
        return .ready
    }

    @_noLocks @_noAllocation
    public mutating func pause(control: Int32, milliseconds: Int32) {
        pollSet.pause(control: control, milliseconds: milliseconds)
    }

    /// Reports changes of the signal first, otherwise takes a filled buffer (VIDIOC_DQBUF), so that no frame of a new signal
    /// counts as one of the old signal.
    @_noLocks @_noAllocation
    public mutating func dequeue() -> DequeueResult {
        if let news = monitor.news(node.descriptor) { return .news(news) }
        var raw = cm_v4l2_buffer()
        let result = unsafe cm_v4l2_dqbuf(node.descriptor, node.bufferType, &raw)
        if result == -EAGAIN { return .nothing }
        // Unplugged or broken: the errno shows the loop which.
        guard result >= 0 else { return .failed(RealtimeFault(.dequeueBuffer, result: result)) }
        // The driver's number does not match any of the buffers.
        guard raw.index < UInt32(truncatingIfNeeded: bounds.count) else {
            return .failed(RealtimeFault(.dequeueBuffer, result: -EPROTO))
        }
        monitor.fed()
        return .buffer(filled(raw))
    }

    /// Reads V4L2's buffer. A timestamp of another clock than CLOCK_MONOTONIC counts as none.
    @_noLocks @_noAllocation
    private func filled(_ raw: cm_v4l2_buffer) -> DequeuedBuffer {
        var planes = FramePlanes()
        planes.set(0, offset: Int(raw.data_offset.0), byteCount: Int(raw.bytesused.0) &- Int(raw.data_offset.0))
        planes.set(1, offset: Int(raw.data_offset.1), byteCount: Int(raw.bytesused.1) &- Int(raw.data_offset.1))
        planes.set(2, offset: Int(raw.data_offset.2), byteCount: Int(raw.bytesused.2) &- Int(raw.data_offset.2))
        let clock = raw.flags & UInt32(truncatingIfNeeded: V4L2_BUF_FLAG_TIMESTAMP_MASK)
        let isMonotonic = clock == UInt32(truncatingIfNeeded: V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        let origin = raw.flags & UInt32(truncatingIfNeeded: V4L2_BUF_FLAG_TSTAMP_SRC_MASK)
        let isOfBeginning = origin == UInt32(truncatingIfNeeded: V4L2_BUF_FLAG_TSTAMP_SRC_SOE)
        let isFlagged = raw.flags & UInt32(truncatingIfNeeded: V4L2_BUF_FLAG_ERROR) != 0
        // A driver may pass on another process's claims (v4l2loopback): more bytes than the buffer has is an error, too.
        var buffer = DequeuedBuffer(
            index: Int(raw.index), sequence: raw.sequence, timestamp: isMonotonic ? raw.timestamp : 0,
            timestampLag: isOfBeginning ? 0 : endLag,
            isFlagged: isFlagged || !bounds.holds(planes, in: Int(raw.index)), planes: planes)
        buffer.field = raw.field
        return buffer
    }
}

/// Open video node; deinit releases its buffers and closes it.
///
/// A mapping keeps an open file alive after its descriptor was closed. So streaming is ended and the buffers are released here
/// (VIDIOC_STREAMOFF, VIDIOC_REQBUFS 0). Otherwise the device would stay busy until the last frame was read.
///
/// *session-bound*
struct CameraDescriptor: ~Copyable, Sendable {
    let descriptor: Int32
    /// V4L2_BUF_TYPE_VIDEO_CAPTURE or V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE.
    let bufferType: UInt32
    private var hasBuffers = false

    /// - Throws: The error of `open` or VIDIOC_QUERYCAP; ENODEV for a node that captures no video.
    init(opening path: String) throws(RealtimeFault) {
        let descriptor = try unsafe checked(.openCamera, cm_v4l2_open(path))
        var capability = cm_v4l2_capability()
        let queried = unsafe cm_v4l2_querycap(descriptor, &capability)
        let type = CameraDescriptor.bufferType(capability.device_caps)
        guard queried >= 0, let type else {
            _ = cm_close(descriptor)
            throw RealtimeFault(.queryCapabilities, result: queried < 0 ? queried : -ENODEV)
        }
        self.descriptor = descriptor
        bufferType = type
    }

    /// `nil` for a node that streams no video: metadata, output.
    private static func bufferType(_ capabilities: UInt32) -> UInt32? {
        guard capabilities & UInt32(V4L2_CAP_STREAMING) != 0 else { return nil }
        if capabilities & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0 { return V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue }
        guard capabilities & UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0 else { return nil }
        return V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE.rawValue
    }

    /// Requests buffers (VIDIOC_REQBUFS). From here on the device is busy for others.
    ///
    /// - Returns: The number of buffers that the driver gave.
    mutating func requestBuffers(_ count: UInt32) throws(RealtimeFault) -> Int {
        let given = try checked(.requestBuffers, cm_v4l2_reqbufs(descriptor, bufferType, count))
        hasBuffers = true
        return Int(given)
    }

    deinit {
        // A stream that another process runs is not stopped.
        if hasBuffers {
            _ = cm_v4l2_streamoff(descriptor, bufferType)
            _ = cm_v4l2_reqbufs(descriptor, bufferType, 0)
        }
        _ = cm_close(descriptor)
    }
}
