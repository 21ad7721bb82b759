import CMedia
import CaptureBase
import LinuxSystem

/// V4L2 node that accepts frames, which other programs then see as a camera's: v4l2loopback's, or a display's.
///
/// No call waits for a viewer: if the driver has no free buffer, the frame is refused.
///
/// Most drivers get frames by `VIDIOC_QBUF` into their own buffers, as in GStreamer's v4l2sink: this needs no copy in the kernel,
/// and passes on the time of the capture. Drivers of videobuf2 also support `write(2)`, but those that check the payload answer
/// every call with EINVAL in Linux 6.12. Drivers without streaming get frames by `write(2)`, as in ffmpeg. So does v4l2loopback,
/// which supports both: its streaming lends the same buffers to reader and writer without an owner, gave the writer the same
/// buffer repeatedly or one that it had not queued, and for a long time did not number the frames (its issues 191, 304, 466 and
/// 607). It stamps written frames with the time of the call.
///
/// *session-bound*
// `@unchecked Sendable`: a clip's writer owns its descriptor and its mappings, and one thread at a time uses a writer.
package final class VideoOutputNode: @unchecked Sendable {
    package let path: String
    /// Formats that it takes, in the driver's order.
    package let pixelFormats: [PixelFormat]
    private let node: Int32
    private let isWritten: Bool
    private let fault: VideoOutputFault
    /// The driver's buffers, or the one whose bytes are written.
    private var buffers: [UnsafeMutableRawBufferPointer] = []
    /// Bit mask of the buffers that the driver does not have.
    private var free: UInt32 = 0
    /// Buffer that was lent last.
    private var current = 0
    /// Bytes of each raw frame; 0 for compressed ones, which have any size.
    private var imageBytes = 0
    private var frameNanoseconds: Int64 = 0
    private var isStreaming = false
    private var isOver = false

    /// Opens a node, and queries what it accepts. Nothing is set yet.
    ///
    /// - Parameter path: path of a device file, or of a link to one.
    /// - Throws: `.noDevice` (66) if none exists; `.usage` (64) for a file that is not a V4L2 node, and for one that captures;
    ///   `.notAuthorized` (77); `.busy` (75) if another program sends frames to it; `.unavailable` (69) for one that needs planes
    ///   in separate buffers. The remedies list the existing outputs.
    package init(opening path: String) throws(CaptureError) {
        let fault = VideoOutputFault(path: path)
        try fault.checkKind()
        let opened = try fault.check("open", cm_v4l2_open(path))
        do throws(CaptureError) {
            isWritten = try Self.isWritten(opened, fault)
            pixelFormats = Self.formats(opened)
            if !isWritten { try Self.checkIdle(opened, fault) }
        } catch {
            _ = cm_close(opened)
            throw error
        }
        self.path = path
        self.fault = fault
        node = opened
    }

    deinit { end(isNormal: false) }

    /// Queries the capabilities of this node (`VIDIOC_QUERYCAP`).
    ///
    /// - Returns: true if frames must be written.
    private static func isWritten(_ node: Int32, _ fault: VideoOutputFault) throws(CaptureError) -> Bool {
        var raw = cm_v4l2_capability()
        guard cm_v4l2_querycap(node, &raw) >= 0 else { throw fault.isNoVideoNode }
        let isLoopback = FixedText.of(raw.driver) == "v4l2 loopback"
        guard raw.device_caps & takesPictures != 0 else {
            // With exclusive_caps it is only a camera while another program sends frames to it.
            if isLoopback { throw fault.error("VIDIOC_QUERYCAP", Errno.resourceBusy.number) }
            throw raw.device_caps & takesPlanes != 0 ? fault.wantsPlanes : fault.takesNothing
        }
        let canWrite = raw.device_caps & UInt32(V4L2_CAP_READWRITE) != 0
        guard raw.device_caps & UInt32(V4L2_CAP_STREAMING) != 0 else { return true }
        return canWrite && isLoopback
    }

    private static let takesPictures = UInt32(V4L2_CAP_VIDEO_OUTPUT)
    private static let takesPlanes = UInt32(V4L2_CAP_VIDEO_OUTPUT_MPLANE)
    private static let output = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
    /// More formats than any driver has: a driver with an endless list is not queried forever.
    private static let mostFormats: UInt32 = 512
    /// Number of buffers to request: one that is shown, one that is next, and two for a reader that is late.
    private static let bufferCount: UInt32 = 4

    /// Formats that the driver lists (`VIDIOC_ENUM_FMT`).
    private static func formats(_ node: Int32) -> [PixelFormat] {
        var formats: [PixelFormat] = []
        var raw = cm_v4l2_fmtdesc()
        for index in 0..<mostFormats {
            guard cm_v4l2_enum_fmt(node, output, index, &raw) >= 0 else { break }
            formats.append(PixelFormat(rawValue: raw.pixelformat))
        }
        return formats
    }

    /// Requests buffers like a program that is about to stream, and releases them: so another program's use is reported before a
    /// person is asked for the camera.
    private static func checkIdle(_ node: Int32, _ fault: VideoOutputFault) throws(CaptureError) {
        try fault.check("VIDIOC_REQBUFS", cm_v4l2_reqbufs(node, output, 2))
        _ = cm_v4l2_reqbufs(node, output, 0)
    }
}

// What a writer does, in this order.
extension VideoOutputNode {
    /// Sets format and rate, and gets the buffers.
    ///
    /// - Parameter format: in one of ``pixelFormats``.
    /// - Returns: the format with the driver's own distance between rows.
    /// - Throws: `.notAsAsked` (78) where the driver takes another size or format, which the error names; `.busy`.
    package func begin(_ format: VideoFormat) throws(CaptureError) -> VideoFormat {
        var raw = cm_v4l2_format(format)
        try fault.check("VIDIOC_S_FMT", cm_v4l2_s_fmt(node, &raw))
        guard (Int(raw.width), Int(raw.height)) == (format.width, format.height),
            raw.pixelformat == format.pixelFormat.rawValue
        else {
            let own = PixelFormat(rawValue: raw.pixelformat)
            throw fault.takes(width: Int(raw.width), height: Int(raw.height), own, insteadOf: format)
        }
        // A driver without a rate shows each frame when it arrives.
        var rate = cm_v4l2_parm(
            capability: 0, numerator: UInt32(clamping: format.frameRate.denominator),
            denominator: UInt32(clamping: format.frameRate.numerator))
        _ = cm_v4l2_s_parm(node, Self.output, &rate)
        frameNanoseconds = format.frameRate.frameNanoseconds
        imageBytes = format.pixelFormat.isCompressed ? 0 : Int(raw.sizeimage.0)
        try allocate(Int(raw.sizeimage.0))
        return format.laidOut(
            as: format.pixelFormat, bytesPerLine: format.pixelFormat.isCompressed ? 0 : Int(raw.bytesperline.0),
            format.colorimetry)
    }

    /// Maps the driver's buffers, or allocates the one whose bytes are written.
    private func allocate(_ byteCount: Int) throws(CaptureError) {
        guard (1...Self.mostBytes).contains(byteCount) else { throw fault.claims(byteCount) }
        guard !isWritten else {
            buffers = [.allocate(byteCount: byteCount, alignment: 64)]
            buffers[0].initializeMemory(as: UInt8.self, repeating: 0)
            return
        }
        let count = try fault.check("VIDIOC_REQBUFS", cm_v4l2_reqbufs(node, Self.output, Self.bufferCount))
        for index in 0..<UInt32(min(count, 32)) {
            var place = cm_v4l2_place()
            try fault.check("VIDIOC_QUERYBUF", cm_v4l2_querybuf(node, Self.output, index, &place))
            var address: UnsafeMutableRawPointer?
            try fault.check("mmap", cm_map(node, Int64(place.offset.0), Int64(place.length.0), &address))
            buffers.append(UnsafeMutableRawBufferPointer(start: address, count: Int(place.length.0)))
            free |= 1 << index
        }
    }

    /// Maximum bytes of a frame; a driver that claims more is not believed: 16384×16384 with four bytes each.
    private static var mostBytes: Int { 1 << 30 }

    /// Lends a free buffer, for ``put(_:at:)``.
    ///
    /// - Returns: `nil` if the driver has all of them: this frame is dropped.
    /// - Throws: `.deviceGone`, `.inputOutput`.
    package func room() throws(CaptureError) -> UnsafeMutableRawBufferPointer? {
        if isWritten { return buffers[0] }
        try reclaim()
        guard free != 0 else { return nil }
        current = free.trailingZeroBitCount
        return buffers[current]
    }

    /// Takes the buffers that the driver has shown (`VIDIOC_DQBUF`).
    private func reclaim() throws(CaptureError) {
        while isStreaming {
            var raw = cm_v4l2_buffer()
            let result = cm_v4l2_dqbuf(node, Self.output, &raw)
            if result == 0 &- Errno.wouldBlock.number { return }
            try fault.check("VIDIOC_DQBUF", result)
            if Int(raw.index) < buffers.count { free |= 1 << raw.index }
        }
    }

    /// Sends the buffer that was lent.
    ///
    /// - Parameters:
    ///   - count: bytes of a compressed frame; a raw one always has all.
    ///   - timestamp: time of the capture, CLOCK_MONOTONIC nanoseconds.
    /// - Returns: false if the driver can't take it now.
    /// - Throws: `.deviceGone`, `.inputOutput`.
    package func put(_ count: Int, at timestamp: Int64) throws(CaptureError) -> Bool {
        let buffer = buffers[current]
        let count = min(imageBytes > 0 ? imageBytes : count, buffer.count)
        if isWritten { return try write(UnsafeRawBufferPointer(start: buffer.baseAddress, count: count)) }
        try fault.check("VIDIOC_QBUF", cm_v4l2_qbuf_output(node, UInt32(current), UInt32(count), timestamp))
        free &= ~(1 << UInt32(current))
        guard !isStreaming else { return true }
        try fault.check("VIDIOC_STREAMON", cm_v4l2_streamon(node, Self.output))
        isStreaming = true
        return true
    }

    /// Sends a frame that is in the driver's layout.
    ///
    /// - Parameters:
    ///   - picture: frame as the camera delivered it.
    ///   - timestamp: time of the capture, CLOCK_MONOTONIC nanoseconds.
    /// - Returns: false if the driver can't take it now, and for a frame that is larger than its buffers.
    /// - Throws: as ``put(_:at:)``.
    package func pass(_ picture: UnsafeRawBufferPointer, at timestamp: Int64) throws(CaptureError) -> Bool {
        let most = buffers[0].count
        if imageBytes == 0, picture.count > most { return false }
        if isWritten, picture.count >= imageBytes {
            let count = imageBytes > 0 ? imageBytes : picture.count
            return try write(UnsafeRawBufferPointer(start: picture.baseAddress, count: count))
        }
        guard let room = try room(), let to = room.baseAddress, let from = picture.baseAddress else { return false }
        let count = min(picture.count, room.count)
        to.copyMemory(from: from, byteCount: count)
        return try put(count, at: timestamp)
    }

    /// Writes a whole frame (`write(2)`), for which the descriptor never blocks.
    private func write(_ picture: UnsafeRawBufferPointer) throws(CaptureError) -> Bool {
        guard let start = picture.baseAddress else { return false }
        let result = cm_v4l2_write(node, start, Int64(picture.count))
        if result == Int64(0 &- Errno.wouldBlock.number) { return false }
        if result < 0 { try fault.check("write", Int32(clamping: result)) }
        return true
    }
}

// The end.
extension VideoOutputNode {
    /// Ends the stream and closes the node; the second call does nothing.
    ///
    /// - Parameter isNormal: true to let the driver show what it has first, for no longer than that takes.
    package func end(isNormal: Bool) {
        guard !isOver else { return }
        isOver = true
        if isNormal { drain() }
        if isStreaming { _ = cm_v4l2_streamoff(node, Self.output) }
        if isWritten {
            for buffer in buffers { buffer.deallocate() }
        } else {
            for buffer in buffers { if let start = buffer.baseAddress { _ = cm_unmap(start, Int64(buffer.count)) } }
            if !buffers.isEmpty { _ = cm_v4l2_reqbufs(node, Self.output, 0) }
        }
        buffers = []
        _ = cm_close(node)
    }

    /// Waits until the driver has at most the frame that it shows, up to a frame's time for each. Drivers keep the last one.
    private func drain() {
        var turns = buffers.count + 1
        while isStreaming, turns > 0, buffers.count - free.nonzeroBitCount > 1 {
            _ = cm_poll(nil, 0, Int32(clamping: min(frameNanoseconds / 1_000_000 + 1, Self.longestTurn)))
            guard (try? reclaim()) != nil else { return }
            turns -= 1
        }
    }

    /// Milliseconds: the last frames of a camera with one frame a minute are not awaited.
    private static var longestTurn: Int64 { 250 }
}
