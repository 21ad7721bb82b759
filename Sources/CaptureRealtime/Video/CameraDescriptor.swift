import CMedia

/// An open video node; deinit gives its buffers back and closes it.
///
/// A mapping keeps an open file alive after its descriptor was closed. So streaming is ended and the buffers are given
/// back here (VIDIOC_STREAMOFF, VIDIOC_REQBUFS 0), else the device would stay busy until the last picture was read.
struct CameraDescriptor: ~Copyable, Sendable {
    let descriptor: Int32
    /// V4L2_BUF_TYPE_VIDEO_CAPTURE or V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE.
    let bufferType: UInt32
    private var hasBuffers = false

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

    /// `nil` for a node that does not stream pictures: metadata, output.
    private static func bufferType(_ capabilities: UInt32) -> UInt32? {
        guard capabilities & UInt32(V4L2_CAP_STREAMING) != 0 else { return nil }
        if capabilities & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0 { return V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue }
        guard capabilities & UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0 else { return nil }
        return V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE.rawValue
    }

    /// VIDIOC_REQBUFS: from here on the device is taken.
    ///
    /// - Returns: How many buffers the driver gave.
    mutating func requestBuffers(_ count: UInt32) throws(RealtimeFault) -> Int {
        let given = try checked(.requestBuffers, cm_v4l2_reqbufs(descriptor, bufferType, count))
        hasBuffers = true
        return Int(given)
    }

    deinit {
        // Not of a stream that is somebody else's.
        if hasBuffers {
            _ = cm_v4l2_streamoff(descriptor, bufferType)
            _ = cm_v4l2_reqbufs(descriptor, bufferType, 0)
        }
        _ = cm_close(descriptor)
    }
}
