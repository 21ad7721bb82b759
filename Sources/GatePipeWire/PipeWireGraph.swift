import CPipeWire
import CaptureGate
import CaptureRealtime
import LinuxSystem

/// Connection to PipeWire's daemon, as one that sees the whole graph.
///
/// *thread-safe*
final class GraphConnection: Sendable {
    private typealias Watcher = GraphWatcher<GraphEvent>

    private let watcher: GraphWatcher<GraphEvent>
    /// Unsafe, since a raw pointer is never Sendable: it does not change, and each shim takes the connection's lock.
    nonisolated(unsafe) let pointer: UnsafeMutableRawPointer

    /// Connects to the daemon of this user.
    ///
    /// - Parameter onEvent: called on PipeWire's thread, which it must not hold up; it may call the methods here.
    /// - Throws: `.unavailable` if there is no daemon, or no libpipewire. The C function is `pw_context_connect`.
    init(onEvent: @escaping @Sendable (GraphEvent) -> Void) throws(CaptureError) {
        let watcher = Watcher(onEvent)
        var calls = cp_watcher()
        calls.context = watcher.context
        calls.client_came = { context, client in
            guard let client = client?.pointee else { return }
            Watcher.tell(context, .client(GraphClient(id: client.id, process: client.process, user: client.user)))
        }
        calls.node_came = { context, peer in
            guard let peer = peer?.pointee else { return }
            Watcher.tell(context, .peer(GraphPeer(peer)))
        }
        calls.link_came = { Watcher.tell($0, .link(GraphLink(id: $1, output: $2, input: $3))) }
        calls.gone = { Watcher.tell($0, .gone($1)) }
        calls.ended = { Watcher.tell($0, .ended(Errno(-$1))) }
        var made: UnsafeMutableRawPointer?
        let result = cp_connect(nil, &calls, &made)
        guard result >= 0, let made else { throw .noPipeWire(Errno(-result)) }
        self.watcher = watcher
        pointer = made
    }

    deinit { cp_disconnect(pointer) }

    /// Lets a client see a node and link to it, or not.
    func show(_ node: UInt32, to client: UInt32, _ isShown: Bool) {
        _ = cp_show(pointer, client, node, isShown ? 1 : 0)
    }

    /// Links two nodes, until one of them goes.
    func link(_ output: UInt32, to input: UInt32) { _ = cp_link(pointer, output, input) }

    /// Destroys a link.
    func unlink(_ link: UInt32) { _ = cp_unlink(pointer, link) }

    /// Silences the outputs through which others could listen to a node's recording.
    func muteMonitors(of node: UInt32) { _ = cp_mute_monitors(pointer, node) }

    /// Has the session manager link a stream to a node, if there is a session manager.
    func aim(_ stream: UInt32, at node: UInt32) { _ = cp_aim(pointer, stream, node) }
}

/// Carries a handler to PipeWire's thread.
///
/// *thread-safe*
final class GraphWatcher<Event: Sendable>: Sendable {
    private let onEvent: @Sendable (Event) -> Void

    init(_ onEvent: @escaping @Sendable (Event) -> Void) { self.onEvent = onEvent }

    /// Handler as a C pointer, valid while this object exists.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func tell(_ context: UnsafeMutableRawPointer?, _ event: Event) {
        guard let context else { return }
        Unmanaged<GraphWatcher>.fromOpaque(context).takeUnretainedValue().onEvent(event)
    }
}

extension GraphPeer {
    fileprivate init(_ peer: cp_peer) {
        id = peer.id
        client = peer.client == .max ? nil : peer.client
        records =
            switch peer.media_class.map({ String(cString: $0) }) {
            case "Stream/Input/Audio": .microphone
            case "Stream/Input/Video": .camera
            default: nil
            }
        wantsOther = peer.wants_other != 0
    }
}

/// Node in PipeWire's graph that passes on the frames written to it: a microphone or a camera for other programs.
///
/// Nothing passes before ``pass(_:)``.
///
/// *thread-safe*
final class GraphNode: Sendable {
    /// News of a node, on PipeWire's thread.
    enum Event: Hashable, Sendable {
        /// It is in the graph, under this number.
        case bound(UInt32)
        /// A program uses the node from now on, or no program does any more.
        case isTaken(Bool)
        /// Format that was negotiated with the linked programs, by its index.
        case format(Int)
        case failed
    }

    /// Names and rank of a node.
    struct Labels: Sendable {
        /// For programs.
        let name: String
        /// For persons.
        let description: String
        /// Nothing ever comes from it.
        let isClosed: Bool
        /// A session manager prefers the highest for a program that does not choose.
        let priority: Int32
    }

    private typealias Watcher = GraphWatcher<Event>

    private let connection: GraphConnection
    private let watcher: GraphWatcher<Event>
    /// Unsafe, since a raw pointer is never Sendable: it does not change, and nothing is called on it while it is closed.
    private nonisolated(unsafe) let pointer: UnsafeMutableRawPointer
    /// Locked while something is written; true once it is closed.
    private let isClosed = Locked(false)

    /// - Parameters:
    ///   - device: what it is to be taken for.
    ///   - onEvent: called on PipeWire's thread, which it must not hold up.
    /// - Throws: `.unavailable` if the daemon does not take it. The C function is `pw_stream_connect`.
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
                var labels = cp_labels(
                    name: name, description: description, is_closed: labels.isClosed ? 1 : 0, priority: labels.priority)
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
                .unavailable, "PipeWire refused a node for \(device.device.id): \(Errno(-result).text).",
                errno: -result, remedies: [Remedy("Restart PipeWire.", command: "systemctl --user restart pipewire")])
        }
        self.connection = connection
        self.watcher = watcher
        pointer = made
    }

    deinit { close() }

    /// Lets written frames pass, or not; from any thread until ``close()``.
    func pass(_ isOpen: Bool) { cp_pass(pointer, isOpen ? 1 : 0) }

    /// Stops it and wipes its buffers: nothing comes from it any more. On PipeWire's thread alone, until ``close()``.
    func seal() { cp_seal(pointer) }

    /// Hands a period on; what finds no room is dropped.
    func write(period bytes: RawSpan) {
        isClosed.withLock { isClosed in
            guard !isClosed else { return }
            bytes.withUnsafeBytes { _ = cp_microphone_write(pointer, $0.baseAddress, $0.count) }
        }
    }

    /// Passes on a frame; if no buffer has been returned, the frame is dropped.
    ///
    /// - Parameter stride: bytes from row to row; 0 for compressed frames.
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
    fileprivate static let shims: [PCMFormat: cp_samples] = [
        .s16: CP_S16, .s24: CP_S24, .s24Packed: CP_S24_3, .s32: CP_S32, .float32: CP_F32,
    ]

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

    fileprivate static let shims: [PixelFormat: cp_pixels] = [
        .yuyv: CP_YUYV, .uyvy: CP_UYVY, .nv12: CP_NV12, .yuv420: CP_I420, .rgb24: CP_RGB24, .bgr24: CP_BGR24,
        .grey: CP_GREY, .mjpeg: CP_MJPEG,
    ]
}

/// Node to capture from, or a sink, as the daemon reports it.
///
/// *thread-safe*
struct GraphSource: Hashable, Sendable {
    var name: String
    var description: String
    /// Such as `Audio/Source`.
    var mediaClass: String
    /// ALSA's name of its hardware, or the device file; empty if the daemon does not report it.
    var hardware = ""
    /// True for the session manager's default node.
    var isDefault = false
    /// A camera's.
    var modes: [VideoMode] = []
}

/// Query of all sources and sinks, over a separate connection to the daemon.
enum GraphListing {
    private final class Gathered { var sources: [GraphSource] = [] }

    /// Time after which a daemon that does not answer has none, in ms.
    private static let patience: Int32 = 3000

    /// Asks; none if nobody answers, and without libpipewire.
    ///
    /// - Parameter socket: connection that the desktop's portal gave; -1 for the user's daemon.
    static func sources(by socket: Int32 = -1) -> [GraphSource] {
        let gathered = Gathered()
        var remote = cp_remote(name: nil, socket: socket)
        var visitor = cp_visitor()
        visitor.context = Unmanaged.passUnretained(gathered).toOpaque()
        visitor.node = { context, found in
            guard let context, let found else { return }
            Unmanaged<Gathered>.fromOpaque(context).takeUnretainedValue().sources.append(GraphSource(found.pointee))
        }
        let result = withExtendedLifetime(gathered) { cp_list(&remote, patience, 1, &visitor) }
        return result >= 0 ? gathered.sources : []
    }
}

extension GraphSource {
    fileprivate init(_ found: cp_found) {
        self.init(
            name: String(cString: found.name), description: String(cString: found.description),
            mediaClass: String(cString: found.media_class), hardware: String(cString: found.hardware),
            isDefault: found.is_default != 0,
            modes: UnsafeBufferPointer(start: found.modes, count: Int(found.mode_count)).compactMap { VideoMode($0) })
    }
}

extension VideoMode {
    /// Mode that a node reports; `nil` for an impossible one. A range may have no end: no side is longer than 65,535 pixels.
    fileprivate init?(_ mode: cp_mode) {
        let sides = [mode.least_width, mode.least_height, mode.width, mode.height].map { min(Int($0), 65_535) }
        guard let format = OfferedPicture.shims.first(where: { $0.value == mode.pixels })?.key, sides[0] > 0,
            sides[1] > 0,
            sides[0] <= sides[2], sides[1] <= sides[3]
        else { return nil }
        let steps = SizeSteps(
            width: sides[0], height: sides[1], widthStep: Int(max(mode.width_step, 1)),
            heightStep: Int(max(mode.height_step, 1)))
        let told = withUnsafeBytes(of: mode.rates) { Array($0.bindMemory(to: cp_rate.self)) }
        let rates = told.prefix(Int(mode.rate_count)).compactMap { FrameRate(Int($0.numerator), Int($0.denominator)) }
        self.init(
            pixelFormat: format, width: sides[2], height: sides[3],
            smaller: sides[0] < sides[2] || sides[1] < sides[3] ? steps : nil,
            frameRates: Set(rates).sorted { $0.framesPerSecond > $1.framesPerSecond },
            takesRatesBetween: mode.takes_rates_between != 0)
    }
}

/// Stream by which this program captures from one node, on a separate connection.
///
/// *thread-safe*
final class GraphCapture: Sendable {
    /// Format to request: PipeWire converts audio, but not video.
    enum Format {
        case sound(PCMSettings)
        case pictures(OfferedPicture)
    }

    /// Reason why nothing comes any more.
    enum End: Hashable, Sendable {
        /// The node or the daemon has gone.
        case gone
        case refused
        /// Somebody has linked the stream to another node.
        case moved
    }

    /// Error if no session manager links a stream, and without libpipewire.
    static let (notLinked, noLibrary) = (Errno(Int32(cp_not_linked)), Errno(Int32(cp_no_library)))

    private let watcher: GraphWatcher<End>
    /// Address of the stream, as a raw pointer is never Sendable; 0 once it is closed.
    private let pointer: Locked<UInt>

    /// Links a stream to a node, and to none but that; nothing is captured yet. Blocks.
    ///
    /// - Parameters:
    ///   - ring: gets the frames on PipeWire's realtime thread until ``close()``; stays the caller's.
    ///   - socket: connection that the desktop's portal gave; -1 for the user's daemon.
    ///   - patience: seconds.
    ///   - onEnd: called once on PipeWire's thread, when nothing is written any more.
    /// - Throws: ENODEV where the node has gone, ``notLinked``, ECONNREFUSED; the error of connecting.
    init(
        of node: FoundNode, as format: Format, into ring: UnsafeMutablePointer<RingInlet>, by socket: Int32,
        patience: Int32,
        onEnd: @escaping @Sendable (End) -> Void
    ) throws(Errno) {
        let watcher = GraphWatcher(onEnd)
        var calls = cp_capture_watcher()
        (calls.context, calls.ring) = (watcher.context, UnsafeMutableRawPointer(ring))
        calls.piece = { ring, piece in
            guard let ring, let piece = piece?.pointee else { return }
            let bytes = UnsafeRawBufferPointer(start: piece.bytes, count: piece.count)
            ring.assumingMemoryBound(to: RingInlet.self).pointee.take(bytes, at: piece.monotonic_ns, lost: piece.lost)
        }
        calls.ended = {
            GraphWatcher.tell($0, $1 == CP_END_MOVED ? End.moved : $1 == CP_END_REFUSED ? .refused : .gone)
        }
        var made: UnsafeMutableRawPointer?
        var remote = cp_remote(name: nil, socket: socket)
        let result = node.withWish(format) { cp_capture_open(&remote, patience, $0, &calls, &made) }
        guard result >= 0, let made else { throw Errno(-result) }
        self.watcher = watcher
        pointer = Locked(UInt(bitPattern: made))
    }

    deinit { close() }

    /// Captures from now on.
    func begin() {
        pointer.withLock { if let stream = UnsafeMutableRawPointer(bitPattern: $0) { _ = cp_capture_begin(stream) } }
    }

    /// Disconnects it; not on PipeWire's thread.
    func close() {
        pointer.withLock { pointer in
            if let stream = UnsafeMutableRawPointer(bitPattern: pointer) { cp_capture_close(stream) }
            pointer = 0
        }
    }
}

extension FoundNode {
    /// Wish as the shim takes it, for the time of a call.
    fileprivate func withWish(_ format: GraphCapture.Format, _ body: (UnsafePointer<cp_wish>) -> Int32) -> Int32 {
        name.withCString { name in
            description.withCString { description in
                var wish = cp_wish()
                (wish.target, wish.description, wish.is_monitor) = (name, description, isMonitor ? 1 : 0)
                switch format {
                case .sound(let sound):
                    (wish.samples, wish.rate) = (SampleFormat.shims[sound.format] ?? CP_S16, UInt32(sound.rate))
                    (wish.channels, wish.period) = (UInt32(sound.channels), UInt32(sound.periodFrames))
                    return body(&wish)
                case .pictures(let picture):
                    return withUnsafePointer(to: picture.shim) { shim in
                        wish.picture = shim
                        return body(&wish)
                    }
                }
            }
        }
    }
}
