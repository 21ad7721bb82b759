import CaptureGate
import Gate

/// A capture for one program, whose frames go into its node until something ends it.
///
/// *thread-safe*
struct NodeCapture: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    private let request: DeviceRequest
    private let device: OfferedDevice
    private let picture: OfferedPicture?
    private let node: GraphNode
    /// Lets pass what is written from now on, or nothing any more.
    private let open: @Sendable (Bool) -> Void

    /// - Parameters:
    ///   - device: to capture.
    ///   - picture: format that was agreed on; `nil` for a microphone.
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
            guard let picture else { throw CaptureError(.cancelled, "No format was agreed on.") }
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
                // Read before the frames: what was captured before an end of the gate's is not read any more.
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
    /// Permission to capture it for a program that hands on what it gets where it likes.
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
