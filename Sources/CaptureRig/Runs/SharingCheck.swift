import CaptureGate
import CaptureRecording

extension CheckMakers {
    /// Streams until the second opening has been made. Both pass the gate.
    static func sharing(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let device = try context.device()
        guard !device.nodes.isEmpty else {
            return .skipped("\(device.id) has no node for a second program.")
        }
        let trial = SharedStream(streams: context.streams, queue: context.queue, device: device)
        return CheckFindings(try await trial.opening())
    }
}

/// A capture, and a second opening of its camera while it streams.
///
/// *thread-safe*
private struct SharedStream: Sendable {
    let streams: any StreamSource
    let queue: GateQueue
    let device: Device

    private enum Part: Sendable {
        case stream(CaptureError)
        case opening(Result<SecondOpening, CaptureError>)
    }

    /// - Throws: the error of the capture, if it was over before the second opening, which would then show nothing.
    func opening() async throws(CaptureError) -> SecondOpening {
        let (flow, begun) = AsyncStream<Void>.makeStream()
        let first = await withTaskGroup(of: Part.self) { group in
            group.addTask {
                let end = await stream(begun)
                begun.finish()
                return .stream(end)
            }
            group.addTask {
                for await _ in flow { return .opening(await openAgain()) }
                // Says nothing beyond what the capture says.
                return .opening(.failure(CaptureError(.stalled, "\(device.id) delivered no frame.")))
            }
            var first: Part?
            for await part in group {
                // Without a frame both parts end, and the capture has the reason.
                if case .stream = part, case .opening(.failure)? = first { first = part }
                first = first ?? part
                if case .opening(.success) = part { group.cancelAll() }
            }
            return first
        }
        switch first {
        case .opening(let result): return try result.get()
        case .stream(let error): throw error
        case nil: throw .interrupted
        }
    }

    /// - Returns: the reason why the capture ended.
    private func stream(_ begun: AsyncStream<Void>.Continuation) async -> CaptureError {
        do throws(CaptureError) {
            let record = try await streams.record(StreamCapture(for: .seconds(60)), from: device) {
                (_) throws(CaptureError) in FlowSignal(begun: begun)
            }.record
            try record.checkFirst()
            return CaptureError(.timedOut, "Opening \(device.id) a second time took more than a minute.")
        } catch {
            return error
        }
    }

    private func openAgain() async -> Result<SecondOpening, CaptureError> {
        await outcome { () async throws(CaptureError) in
            try await queue.run(
                DeviceOperation(device, purpose: "Open it a second time, without capturing") {
                    (permit: consuming DevicePermit) async throws(CaptureError) in
                    try await DeviceInquiry.ask(permit) { (device) throws(CaptureError) in device.openedAgain() }
                })
        }
    }
}

/// Inspector that waits for the first frame. *session-bound*
private struct FlowSignal: StreamInspector {
    static var needsContent: Bool { false }

    let begun: AsyncStream<Void>.Continuation

    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) { begun.yield() }
}

extension CheckFindings {
    /// Findings of a second opening. A driver without buffers of one kind refuses those with EINVAL, streaming or not.
    init(_ opening: SecondOpening) {
        let granted = opening.refusals.filter { $0.value == 0 }.map(\.key.rawValue).sorted()
        self.init([
            Measure("open_refused", opening.failure == nil ? 0 : 1, "openings", .lower),
            Measure("stream_allowed", Double(granted.count), "streams", .lower),
        ])
        if let failure = opening.failure {
            let holders = opening.holders.map { "\($0.command) (\($0.processID))" }.joined(separator: ", ")
            add(failure.message + (holders.isEmpty ? "" : " Other programs use it: \(holders)."))
        }
        if !granted.isEmpty { add("A second program got buffers: \(granted.joined(separator: ", ")).") }
    }
}
