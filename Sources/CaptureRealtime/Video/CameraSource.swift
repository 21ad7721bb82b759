import CMedia
import CaptureBase

/// A V4L2 capture device, opened, set up, and its buffers mapped; deinit closes it.
///
/// *session-bound*; *realtime-safe* while its loop runs
public struct CameraSource: ~Copyable, Sendable {
    public let asked: CameraSettings
    /// What the device does.
    public let got: CameraFormat
    public let buffers: FrameBuffers
    public var allowsRealtimePriority: Bool { true }

    let node: CameraDescriptor
    let pollSet: PollSet
    /// Of ``buffers``.
    let bounds: BufferBounds
    /// What a stamp of a frame's end is later than one of its beginning, ns.
    let endLag: Int64
    var monitor: SignalMonitor
    /// What the input's signal was when the camera was opened.
    public let signal: SignalState

    /// Opens a video node, sets it up and maps its buffers. Nothing is captured before the loop starts it.
    ///
    /// - Parameters:
    ///   - path: Such as `/dev/video0`.
    ///   - buffers: How many to ask the driver for, 3…32; `bufferCount` says what it gave.
    /// - Throws: ENOENT, ENODEV or ENXIO: there is no such device, or it captures no pictures. EBUSY: somebody has it. EACCES:
    ///   the node's permissions refuse. ENOMEM: no memory for three buffers. The corresponding C calls are `open`,
    ///   `VIDIOC_S_FMT`, `VIDIOC_S_PARM`, `VIDIOC_REQBUFS` and `mmap`. EFBIG: no picture of that size needs as much memory as
    ///   the driver says; none is reserved.
    package init(
        opening path: String, asked: CameraSettings = CameraSettings(), buffers: Int = 8
    ) throws(RealtimeFault) {
        var node = try CameraDescriptor(opening: path)
        let input = try CameraInput.selected(node, asked: asked)
        let got = try CameraNegotiation.negotiate(node, asked: asked, input)
        try got.check()
        // Before the buffers are had: what comes meanwhile is told, too.
        let monitor = SignalMonitor(node.descriptor, input, frameNanoseconds: got.bufferNanoseconds)
        // A picture takes two of them where each holds a field.
        let most = got.isAlternating ? 2 * buffers : buffers
        let mapped = try Self.map(&node, count: got.bufferCount(atMost: most))
        // A picture would be looked for in planes that are not there.
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

    /// Whether a slide or key covers the lens, as far as the camera tells. The control is `V4L2_CID_PRIVACY`.
    public var isCovered: Bool {
        var value: Int32 = 0
        return unsafe cm_v4l2_g_ctrl(node.descriptor, UInt32(V4L2_CID_PRIVACY), &value) >= 0 && value != 0
    }

    public var bufferCount: Int { buffers.count }

    private static func map(_ node: inout CameraDescriptor, count: Int) throws(RealtimeFault) -> FrameBuffers {
        let (descriptor, type) = (node.descriptor, node.bufferType)
        let asked = UInt32(min(max(count, 3), FrameBuffers.most))
        let given = try node.requestBuffers(asked)
        guard given >= 3 else { throw RealtimeFault(.requestBuffers, result: -ENOMEM) }
        var location = cm_v4l2_place()
        _ = try unsafe checked(.queryBuffer, cm_v4l2_querybuf(descriptor, type, 0, &location))
        // A driver may give more than it was asked for; 32 is the most there can be.
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
