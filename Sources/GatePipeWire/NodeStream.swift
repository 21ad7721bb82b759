import CaptureGate
import CaptureRealtime
import Gate
import LinuxSystem

/// Stream that receives the output of a node of PipeWire's graph, and fills a ring with it.
///
/// The ring is written on PipeWire's realtime thread, which takes no lock here and allocates nothing. The stream is for one node:
/// a link to another one ends it.
///
/// *thread-safe*
final class NodeStream: StreamLender {
    private struct State {
        /// `nil` before and after.
        var capture: GraphCapture?
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

    /// Seconds after which an unresponsive daemon or session manager is abandoned.
    private static let patience: Int32 = 3

    /// Has a stream linked to a node; nothing is captured yet. Blocks.
    ///
    /// - Throws: `.noDevice` if it has gone, `.unavailable` if nobody links it, or it is refused.
    static func open(
        _ node: FoundNode, _ device: Device, _ wish: StreamWish, by socket: Int32 = -1
    ) throws(CaptureError) -> ProvidedStream {
        switch wish {
        case .audio(let asked):
            let got = asked.taken
            let parts = try made(device) { () throws(RealtimeFault) in try RingInlet(sound: got) }
            try parts.stream.connect(node, .sound(got), by: socket)
            return ProvidedStream(.audio(got), of: parts.stream, parts.reader)
        case .video(let asked, _):
            guard let picture = OfferedPicture(nearest: asked, among: node.modes) else {
                throw CaptureError(
                    .notAsAsked, "\(device.id) has no supported format.",
                    remedies: [Remedy("Choose another camera.", .listDevices)])
            }
            let format = CameraFormat(picture)
            let parts = try made(device) { () throws(RealtimeFault) in try RingInlet(pictures: format) }
            try parts.stream.connect(node, .pictures(picture), by: socket)
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
                .unavailable, "There is not enough memory for the frames of \(device.id) (\(error.call.function)).",
                errno: error.errno, remedies: [Remedy("End other programs, then try again.")])
        }
    }

    /// Connects the stream; called once.
    private func connect(
        _ node: FoundNode, _ format: GraphCapture.Format, by socket: Int32
    ) throws(CaptureError) {
        do throws(Errno) {
            // Weak: the stream's object holds the capture.
            let capture = try GraphCapture(of: node, as: format, into: inlet, by: socket, patience: Self.patience) {
                [weak self] end in self?.end(end)
            }
            state.withLock { $0.capture = capture }
        } catch {
            throw refusal(error)
        }
    }

    var failure: CaptureError? { state.withLock { $0.failure } }

    func begin() {
        // Not under the lock: PipeWire's thread takes it where the stream ends, and is waited for.
        let capture = state.withLock { $0.isClosed ? nil : $0.capture }
        capture?.begin()
    }

    /// Disconnects it: nothing is written any more.
    func close() {
        let capture = state.withLock { state in
            state.isClosed = true
            return state.capture.take()
        }
        capture?.close()
    }

    /// Ends the ring for its reader; on PipeWire's thread, while nothing is written.
    private func end(_ end: GraphCapture.End) {
        let error = failure(end)
        state.withLock { if $0.failure == nil { $0.failure = error } }
        inlet.pointee.finish(LoopResult(.deviceGone))
    }

    private func failure(_ end: GraphCapture.End) -> CaptureError {
        let named = "\(device.name.visible) [\(device.id)]"
        switch end {
        case .moved:
            return CaptureError(
                .inputOutput,
                "Another program has connected the recording of \(named) to a different node, which is not allowed.",
                remedies: [Remedy("To record that node, name it by its id.", .listDevices)])
        case .refused:
            return CaptureError(
                .inputOutput, "PipeWire has refused the recording of \(named).",
                remedies: [Remedy("Ask for another format.", .listFormats(device: device.id.rawValue))])
        case .gone:
            return CaptureError(
                .deviceGone, "\(named) was removed from PipeWire.",
                remedies: [Remedy("Plug it in again, or choose another device.", .listDevices)])
        }
    }

    /// Error of an opening.
    private func refusal(_ errno: Errno) -> CaptureError {
        let named = "\(device.name.visible) [\(device.id)]"
        switch errno {
        case .noSuchDevice:
            return CaptureError(
                .noDevice, "PipeWire no longer has \(named).",
                remedies: [Remedy("Choose another device.", .listDevices)])
        case GraphCapture.notLinked:
            return CaptureError(
                .unavailable,
                "The recording was not connected to \(named): PipeWire's session manager does not answer.",
                errno: errno.number,
                remedies: [Remedy("Start it.", command: "systemctl --user restart wireplumber")])
        default:
            let error = CaptureError.noPipeWire(errno)
            return CaptureError(
                error.kind, "\(named) can't be opened. \(error.message)", errno: error.errno, remedies: error.remedies)
        }
    }
}

extension PCMSettings {
    /// Settings that PipeWire makes of a wish: it converts to nearly anything.
    fileprivate var taken: PCMSettings {
        var settings = self
        settings.rate = min(max(rate, 8000), 192_000)
        settings.channels = min(max(channels, 1), 8)
        // By default the period of most graphs: with a shorter one the whole graph would wake up more often.
        let usual = max(settings.rate * 1024 / 48_000, 1)
        settings.periodFrames = periodFrames == 0 && periodTime == 0 ? usual : wantedPeriod(at: settings.rate)
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

extension CaptureError {
    /// Error of a connection.
    static func noPipeWire(_ errno: Errno) -> CaptureError {
        if errno == GraphCapture.noLibrary {
            return CaptureError(
                .unavailable, "PipeWire's library is not installed here, or is older than 0.3.50.",
                remedies: [Remedy("Install it.", command: "sudo apt install libpipewire-0.3-0 pipewire wireplumber")])
        }
        return CaptureError(
            .unavailable, "PipeWire can't be reached: \(errno.text).", errno: errno.number,
            remedies: [Remedy("Start it.", command: "systemctl --user start pipewire wireplumber")])
    }
}
