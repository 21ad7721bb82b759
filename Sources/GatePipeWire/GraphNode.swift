import CPipeWire
import CaptureGate
import LinuxSystem

/// A node in PipeWire's graph that hands on what is written into it: a microphone or a camera for other programs.
///
/// Nothing passes before ``pass(_:)``.
///
/// *thread-safe*
final class GraphNode: Sendable {
    /// What a node tells, on PipeWire's thread.
    enum Event: Hashable, Sendable {
        /// It is in the graph, under this number.
        case bound(UInt32)
        /// Somebody takes what is written from now on, or nobody does any more.
        case isTaken(Bool)
        /// Format that was agreed on with whoever is linked, by its index.
        case format(Int)
        case failed
    }

    /// Names and rank of a node.
    struct Labels: Sendable {
        /// For programs.
        let name: String
        /// For persons.
        let description: String
        /// A session manager prefers the highest for a program that does not choose.
        let priority: Int32
    }

    private typealias Watcher = GraphWatcher<Event>

    private let connection: GraphConnection
    private let watcher: GraphWatcher<Event>
    private nonisolated(unsafe) let pointer: UnsafeMutableRawPointer
    /// Locked while something is written; true once it is closed.
    private let isClosed = Locked(false)

    /// - Parameters:
    ///   - device: what it is to be taken for.
    ///   - onEvent: called on PipeWire's thread, which it must not hold up.
    /// - Throws: `.unavailable` where the daemon does not take it. The C function is `pw_stream_connect`.
    init(
        _ device: OfferedDevice, _ labels: Labels, on connection: GraphConnection,
        onEvent: @escaping @Sendable (Event) -> Void
    ) throws(CaptureError) {
        let watcher = Watcher(onEvent)
        var calls = cp_node_watcher()
        calls.context = watcher.context
        calls.bound = { Watcher.tell($0, .bound($1)) }
        calls.state = { Watcher.tell($0, $1 == CP_STATE_FAILED ? .failed : .isTaken($1 == CP_STATE_RUNNING)) }
        calls.format = { Watcher.tell($0, .format(Int($1))) }
        var made: UnsafeMutableRawPointer?
        let result = labels.name.withCString { name in
            labels.description.withCString { description in
                var labels = cp_labels(name: name, description: description, priority: labels.priority)
                switch device.formats {
                case .audio(let format):
                    return cp_microphone_open(
                        connection.pointer, &labels, format.sampleFormat.shim, UInt32(format.sampleRate),
                        UInt32(format.channels), &calls, &made)
                case .video(let pictures):
                    let pictures = pictures.map(\.shim)
                    return cp_camera_open(
                        connection.pointer, &labels, pictures, UInt32(pictures.count), &calls, &made)
                }
            }
        }
        guard result >= 0, let made else {
            throw CaptureError(
                .unavailable, "PipeWire does not take a node for \(device.device.id): \(Errno(-result).text).",
                errno: -result, remedies: [Remedy("Start it again.", command: "systemctl --user restart pipewire")])
        }
        self.connection = connection
        self.watcher = watcher
        pointer = made
    }

    deinit { close() }

    /// Lets pass what is written, or not; from any thread until ``close()``.
    func pass(_ isOpen: Bool) { cp_pass(pointer, isOpen ? 1 : 0) }

    /// Hands a period on; what finds no room is dropped.
    func write(period bytes: RawSpan) {
        isClosed.withLock { isClosed in
            guard !isClosed else { return }
            bytes.withUnsafeBytes { _ = cp_microphone_write(pointer, $0.baseAddress, $0.count) }
        }
    }

    /// Hands a picture on; where nobody has given a buffer back it is dropped.
    ///
    /// - Parameter stride: bytes from row to row; 0 for compressed pictures.
    func write(picture bytes: RawSpan, _ header: FrameHeader, stride: Int) {
        isClosed.withLock { isClosed in
            guard !isClosed else { return }
            bytes.withUnsafeBytes {
                _ = cp_camera_write(
                    pointer, $0.baseAddress, $0.count, stride, header.timestamp, header.sequence)
            }
        }
    }

    /// Takes it out of the graph; not on PipeWire's thread.
    func close() {
        isClosed.withLock { isClosed in
            if !isClosed { cp_close(pointer) }
            isClosed = true
        }
    }
}

extension SampleFormat {
    fileprivate var shim: cp_samples {
        switch self {
        case .s16: CP_S16
        case .s24: CP_S24
        case .s24Packed: CP_S24_3
        case .s32: CP_S32
        case .float32: CP_F32
        }
    }
}

extension OfferedPicture {
    fileprivate var shim: cp_picture {
        cp_picture(
            pixels: Self.shims[pixelFormat] ?? CP_MJPEG, width: UInt32(width), height: UInt32(height),
            rate_numerator: UInt32(frameRate.numerator), rate_denominator: UInt32(frameRate.denominator),
            stride: UInt32(bytesPerLine), size: UInt32(byteCount))
    }

    private static let shims: [PixelFormat: cp_pixels] = [
        .yuyv: CP_YUYV, .uyvy: CP_UYVY, .nv12: CP_NV12, .yuv420: CP_I420, .rgb24: CP_RGB24, .bgr24: CP_BGR24,
        .grey: CP_GREY, .mjpeg: CP_MJPEG,
    ]
}
