import CaptureGate
import Dispatch
import Gate

/// A node that one program gets a device by, from the decision to its end. Its owner calls it from one task alone.
final class Source {
    /// A node's number among the gate's own.
    typealias ID = Int

    /// News of a source, from other threads.
    enum News: Sendable {
        case node(GraphNode.Event)
        /// The program may get the device, or a person may be asked, or neither.
        case mayBe(AuthorizationStatus)
        /// It was away long enough.
        case calm
        /// The capture has ended, with this error if it was not cancelled.
        case ended(CaptureError?)
    }

    let id: ID
    let device: OfferedDevice
    /// `nil` for a node that is never let pass.
    let grantee: Grantee?
    /// Number in PipeWire's graph; `nil` while it is in none.
    private(set) var number: UInt32?

    private let graph: Graph
    private let tell: @Sendable (News) -> Void
    private var node: GraphNode?
    private var watching: Task<Void, Never>?
    private var capture: Task<Void, Never>?
    private var picture: OfferedPicture?
    /// True while a program uses the node.
    private var isTaken = false
    /// Set when a capture has ended by itself: the program has to begin again.
    private var rests = false
    /// Set while it is away since a stranger has linked itself to it.
    private var isAway = false
    /// Status that was reported last.
    private var status: AuthorizationStatus = .notDetermined(previous: nil)
    /// Set when the gate has ended a capture or refused one: nobody is asked again, and only a new permission brings it back.
    private var isOver = false

    init(
        _ id: ID, _ device: OfferedDevice, for grantee: Grantee?, in graph: Graph,
        tell: @escaping @Sendable (News) -> Void
    ) {
        self.id = id
        self.device = device
        self.grantee = grantee
        self.graph = graph
        self.tell = tell
    }

    /// Begins to follow the decisions; a node without a grantee exists from the start.
    func begin() throws(CaptureError) {
        guard let grantee else { return try appear() }
        let capability = Capability.All([device.request])
        watching = Task { [tell, gatekeeper = grantee.queue.gatekeeper] in
            for await status in gatekeeper.statusChanges(of: capability) { tell(.mayBe(status)) }
        }
    }

    /// Ends its capture and removes it from the graph.
    ///
    /// - Returns: event to report; later events are not reported.
    func end() -> PipeWireGate.Event? {
        let isCapturing = capture != nil
        watching?.cancel()
        vanish()
        return isCapturing ? grantee.map { .ended($0.subject, device.device, nil) } : nil
    }

    /// - Returns: event to report.
    func take(_ news: News) throws(CaptureError) -> PipeWireGate.Event? {
        switch news {
        case .node(.bound(let number)):
            self.number = number
            let valve = LinkWatch.Valve(pass: { [node] in node?.pass($0) }, seal: { [node] in node?.seal() })
            graph.links.add(number, of: grantee?.number, valve)
        case .node(.isTaken(let isTaken)):
            self.isTaken = isTaken
            if !isTaken { rests = false }
        case .node(.format(let index)): agree(on: index)
        case .node(.failed): rests = true
        case .mayBe(let status):
            self.status = status
            return try follow(status)
        case .calm:
            isAway = false
            return try follow(status)
        case .ended(let error): return conclude(error)
        }
        return nil
    }

    /// Begins to capture, or ends it, as what takes it wants.
    ///
    /// - Returns: true if it begins.
    func adjust() -> Bool {
        guard let grantee, let node, let number else { return false }
        let isWanted = isTaken && !rests && !isOver && (picture != nil || device.device.capability == .microphone)
        if !isWanted { capture?.cancel() }
        guard isWanted, capture == nil else { return false }
        let operation = NodeCapture(of: device, as: picture, into: node) { [links = graph.links] in
            links.open(number, $0)
        }
        capture = Task { [tell, queue = grantee.queue] in
            do throws(CaptureError) {
                try await queue.run(operation)
                tell(.ended(nil))
            } catch {
                tell(.ended(error.kind == .cancelled ? nil : error))
            }
        }
        return true
    }

    /// Takes it out of the graph for a while, since a stranger was linked to it.
    func retreat() {
        vanish()
        isAway = true
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.absence) { [tell] in tell(.calm) }
    }

    /// Time for which a node stays away.
    private static let absence = DispatchTimeInterval.seconds(5)

    private func appear() throws(CaptureError) {
        guard node == nil, !isAway else { return }
        node = try GraphNode(device, labels, on: graph.connection) { [tell] in tell(.node($0)) }
    }

    private func vanish() {
        capture?.cancel()
        if let number { graph.links.remove(number) }
        node?.close()
        (node, number, picture, isTaken, rests) = (nil, nil, nil, false, false)
    }

    /// Another format means another capture.
    private func agree(on index: Int) {
        guard case .video(let pictures) = device.formats, pictures.indices.contains(index) else { return }
        if let picture, picture != pictures[index] { capture?.cancel() }
        picture = pictures[index]
    }

    /// The node exists if the program may use the device, or a person may be asked about it.
    private func follow(_ status: AuthorizationStatus) throws(CaptureError) -> PipeWireGate.Event? {
        switch status {
        case .authorized: isOver = false
        case .notDetermined: break
        case .denied, .restricted: isOver = true
        }
        guard isOver else {
            let wasThere = node != nil
            try appear()
            return !wasThere && node != nil ? grantee.map { .offered($0.subject, device.device) } : nil
        }
        let wasThere = node != nil
        vanish()
        return wasThere ? grantee.map { .withdrawn($0.subject, device.device) } : nil
    }

    private func conclude(_ error: CaptureError?) -> PipeWireGate.Event? {
        capture = nil
        guard let grantee else { return nil }
        if let error {
            rests = true
            if [.notAuthorized, .dismissed, .revoked, .expired].contains(error.kind) {
                isOver = true
                vanish()
            }
        }
        return .ended(grantee.subject, device.device, error)
    }

    private var labels: GraphNode.Labels {
        let kind = device.device.capability.rawValue
        guard let grantee else {
            // The highest priority, so that a program without a choice is linked to it and records silence, rather than to another
            // program's node.
            return GraphNode.Labels(
                name: "capturegate.closed.\(kind)", description: "Closed \(kind)", isClosed: true, priority: 3001)
        }
        return GraphNode.Labels(
            name: "capturegate.\(kind).\(grantee.number)", description: device.device.name.visible, isClosed: false,
            priority: 3000)
    }
}

/// A capture for one program, whose frames go into its node until something ends it.
///
/// *thread-safe*
struct NodeCapture: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    private let request: DeviceRequest
    private let device: OfferedDevice
    private let picture: OfferedPicture?
    private let node: GraphNode
    /// Lets written frames pass from now on, or stops them.
    private let open: @Sendable (Bool) -> Void

    /// - Parameters:
    ///   - device: device to capture from.
    ///   - picture: format that was negotiated; `nil` for a microphone.
    ///   - node: gets the frames.
    ///   - open: called with true once it captures, with false when that ends, on the thread that reads.
    init(
        of device: OfferedDevice, as picture: OfferedPicture?, into node: GraphNode,
        open: @escaping @Sendable (Bool) -> Void
    ) {
        request = device.request
        self.device = device
        self.picture = picture
        self.node = node
        self.open = open
        authorization = AuthorizedFor(Capability.All([request]))
    }

    /// Captures until it is cancelled, or the gate or the device ends it.
    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) {
        var permit = permit
        guard let part = permit.take(device.device.id) else {
            throw CaptureError(.notAuthorized, "The permit is not for \(device.device.id).")
        }
        switch device.formats {
        case .audio(let format): try await capture(try await AudioSession(opening: part, settings: format.settings))
        case .video:
            guard let picture else { throw CaptureError(.cancelled, "No video format was negotiated.") }
            try await capture(try await VideoSession(opening: part, settings: picture.settings))
        }
    }

    private func capture<Format>(_ session: consuming CaptureSession<Format>) async throws(CaptureError) {
        let stride = (session.format as? VideoFormat)?.bytesPerLine
        let box = Handoff(session)
        let end = await SessionReading.read(box, on: "capturegate.pipewire.reader", into: SessionEnd?.none) {
            [node, open] session, end, isStopped in
            session.start()
            open(true)
            defer { open(false) }
            while !isStopped.isSet {
                // Read before the frames: frames captured before the gate ended the capture are not read any more.
                end = session.end
                if end != nil { return }
                let taken: Void? = session.withNext { header, bytes in
                    if let stride {
                        node.write(picture: bytes, header, stride: stride)
                    } else {
                        node.write(period: bytes)
                    }
                }
                if taken == nil { _ = session.wait(milliseconds: 100) }
            }
        }
        await box.take()?.close()
        if let error = end?.error { throw error }
    }
}

extension OfferedDevice {
    /// Permission to capture for a program that may pass the frames on to anybody.
    var request: DeviceRequest {
        let capability = device.capability
        return DeviceRequest(
            capability: capability, level: capability.levels.last ?? .record, device: .id(device.id),
            purpose: "Use it through PipeWire", isShared: true)
    }
}

extension AudioFormat {
    /// Wish for this format and no other.
    fileprivate var settings: AudioSettings {
        AudioSettings(sampleRate: sampleRate, channels: channels, sampleFormat: sampleFormat, isStrict: true)
    }
}

extension OfferedPicture {
    /// Wish for this format and no other.
    fileprivate var settings: VideoSettings {
        VideoSettings(width: width, height: height, pixelFormat: pixelFormat, frameRate: frameRate, isStrict: true)
    }
}
