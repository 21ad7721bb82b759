import CPipeWire
import CaptureGate
import CaptureRealtime
import Gate
import LinuxSystem

/// Stream that takes in what a node of PipeWire's graph puts out, and fills a ring with it.
///
/// The ring is written on PipeWire's realtime thread, which takes no lock here and allocates nothing. The stream is for one node:
/// whoever links it to another one ends it.
///
/// *thread-safe*
final class NodeStream: StreamLender {
    private struct State {
        /// The stream as C has it; `nil` before and after.
        nonisolated(unsafe) var capture: UnsafeMutableRawPointer?
        var failure: CaptureError?
        var isClosed = false
    }

    private let device: DeviceDescription
    private let state = Locked(State())
    /// Unsafe, since a pointer is never Sendable: PipeWire's threads alone use it while the stream is there, one at a time.
    private nonisolated(unsafe) let inlet: UnsafeMutablePointer<RingInlet>

    private init(_ device: DeviceDescription, _ inlet: consuming RingInlet) {
        self.device = device
        self.inlet = .allocate(capacity: 1)
        self.inlet.initialize(to: inlet)
    }

    deinit {
        close()
        inlet.deinitialize(count: 1)
        inlet.deallocate()
    }

    /// Seconds after which a daemon or a session manager that does nothing is given up.
    private static let patience: Int32 = 3

    /// Has a stream linked to a node; nothing is captured yet. Blocks.
    ///
    /// - Throws: `.noDevice` where it has gone, `.unavailable` where nobody links it, or it is refused.
    static func open(_ node: FoundNode, _ device: Device, _ wish: StreamWish) throws(CaptureError) -> ProvidedStream {
        switch wish {
        case .audio(let asked):
            let got = asked.taken
            let parts = try made(device) { () throws(RealtimeFault) in try RingInlet(sound: got) }
            try parts.stream.connect(node, got, nil)
            return ProvidedStream(.audio(got), of: parts.stream, parts.reader)
        case .video(let asked, _):
            guard let picture = OfferedPicture(nearest: asked, among: node.modes) else {
                throw CaptureError(
                    .notAsAsked, "\(device.id) has no format that can be recorded.",
                    remedies: [Remedy("Choose another camera.", .listDevices)])
            }
            let format = CameraFormat(picture)
            let parts = try made(device) { () throws(RealtimeFault) in try RingInlet(pictures: format) }
            try parts.stream.connect(node, PCMSettings(), picture)
            return ProvidedStream(.video(format), of: parts.stream, parts.reader)
        }
    }

    private struct Parts: ~Copyable {
        let stream: NodeStream
        var reader: SharedRingReader
    }

    /// Makes the ring and the stream's object.
    private static func made(
        _ device: Device, _ make: () throws(RealtimeFault) -> RingInlet
    ) throws(CaptureError) -> Parts {
        do throws(RealtimeFault) {
            let inlet = try make()
            let reader = try inlet.reader()
            return Parts(stream: NodeStream(device.description, inlet), reader: reader)
        } catch {
            throw CaptureError(
                .unavailable, "There is no memory for the frames of \(device.id) (\(error.call.function)).",
                errno: error.errno, remedies: [Remedy("End other programs, then try again.")])
        }
    }

    /// Connects the stream; called once.
    private func connect(_ node: FoundNode, _ sound: PCMSettings, _ picture: OfferedPicture?) throws(CaptureError) {
        var watcher = cp_capture_watcher()
        watcher.context = Unmanaged.passUnretained(self).toOpaque()
        watcher.ring = UnsafeMutableRawPointer(inlet)
        watcher.piece = { ring, piece in
            guard let ring, let piece = piece?.pointee else { return }
            ring.assumingMemoryBound(to: RingInlet.self).pointee.take(
                UnsafeRawBufferPointer(start: piece.bytes, count: piece.count), at: piece.monotonic_ns, lost: piece.lost)
        }
        watcher.ended = { context, end in
            guard let context else { return }
            Unmanaged<NodeStream>.fromOpaque(context).takeUnretainedValue().end(end)
        }
        var made: UnsafeMutableRawPointer?
        let result = node.withWish(sound, picture) { wish in
            cp_capture_open(nil, Self.patience, wish, &watcher, &made)
        }
        guard result >= 0, let made else { throw refusal(Errno(-result)) }
        state.withLock { $0.capture = made }
    }

    var failure: CaptureError? { state.withLock { $0.failure } }

    func begin() {
        state.withLock { state in
            if !state.isClosed, let capture = state.capture { _ = cp_capture_begin(capture) }
        }
    }

    /// Disconnects it: nothing is written any more.
    func close() {
        let capture = state.withLock { state in
            state.isClosed = true
            nonisolated(unsafe) let capture = state.capture
            state.capture = nil
            return capture
        }
        if let capture { cp_capture_close(capture) }
    }

    /// Ends the ring for its reader; on PipeWire's thread, while nothing is written.
    private func end(_ end: cp_end) {
        let error = failure(end)
        state.withLock { if $0.failure == nil { $0.failure = error } }
        inlet.pointee.finish(LoopResult(.deviceGone))
    }

    private func failure(_ end: cp_end) -> CaptureError {
        let named = "\(device.name.visible) [\(device.id)]"
        switch end {
        case CP_END_MOVED:
            return CaptureError(
                .inputOutput,
                "Another program has linked the recording of \(named) to a node that it was not allowed for.",
                remedies: [Remedy("Record that one by its own id.", .listDevices)])
        case CP_END_REFUSED:
            return CaptureError(
                .inputOutput, "PipeWire has refused the recording of \(named).",
                remedies: [Remedy("Ask for another format.", .listFormats)])
        default:
            return CaptureError(
                .deviceGone, "\(named) has gone from PipeWire's graph.",
                remedies: [Remedy("Plug it in again, or choose another.", .listDevices)])
        }
    }

    /// Error of an opening.
    private func refusal(_ errno: Errno) -> CaptureError {
        let named = "\(device.name.visible) [\(device.id)]"
        switch errno {
        case .noSuchDevice:
            return CaptureError(
                .noDevice, "\(named) is not in PipeWire's graph any more.",
                remedies: [Remedy("Choose another.", .listDevices)])
        case Errno(Int32(cp_not_linked)):
            return CaptureError(
                .unavailable, "Nobody links the recording to \(named): PipeWire's session manager does not answer.",
                errno: errno.number,
                remedies: [Remedy("Start it.", command: "systemctl --user restart wireplumber")])
        default:
            let error = CaptureError.noPipeWire(errno)
            return CaptureError(
                error.kind, "\(named) can't be opened. \(error.message)", errno: error.errno, remedies: error.remedies)
        }
    }
}

extension FoundNode {
    /// What is asked of PipeWire, for the time of a call.
    fileprivate func withWish(
        _ sound: PCMSettings, _ picture: OfferedPicture?, _ body: (UnsafePointer<cp_wish>) -> Int32
    ) -> Int32 {
        name.withCString { name in
            description.withCString { description in
                var wish = cp_wish()
                (wish.target, wish.description, wish.is_monitor) = (name, description, isMonitor ? 1 : 0)
                guard var picture = picture?.shim else {
                    wish.samples = sound.format.shim
                    (wish.rate, wish.channels) = (UInt32(sound.rate), UInt32(sound.channels))
                    wish.period = UInt32(sound.periodFrames)
                    return body(&wish)
                }
                return withUnsafePointer(to: &picture) { picture in
                    wish.picture = picture
                    return body(&wish)
                }
            }
        }
    }
}

extension PCMFormat {
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

extension PCMSettings {
    /// What PipeWire makes of a wish: it converts to nearly anything.
    fileprivate var taken: PCMSettings {
        var settings = self
        settings.rate = min(max(rate, 8000), 192_000)
        settings.channels = min(max(channels, 1), 8)
        settings.periodFrames = wantedPeriod(at: settings.rate)
        settings.bufferFrames = 4 * settings.periodFrames
        return settings
    }
}

extension OfferedPicture {
    /// The nearest to a wish.
    fileprivate init?(nearest asked: CameraSettings, among modes: [VideoMode]) {
        guard let nearest = asked.nearest(among: modes) else { return nil }
        self.init(
            pixelFormat: PixelFormat(rawValue: nearest.fourcc), width: nearest.width, height: nearest.height,
            frameRate: FrameRate(nearest.fpsNumerator, nearest.fpsDenominator) ?? FrameRate(unchecked: 30, 1))
    }
}

extension CameraFormat {
    /// The same in the capture loop's terms.
    fileprivate init(_ picture: OfferedPicture) {
        self.init(
            width: picture.width, height: picture.height, fourcc: picture.pixelFormat.rawValue,
            layouts: [PlaneLayout(bytesPerLine: picture.bytesPerLine, sizeImage: picture.byteCount)],
            fpsNumerator: picture.frameRate.numerator, fpsDenominator: picture.frameRate.denominator,
            isCompressed: picture.pixelFormat == .mjpeg)
    }
}
