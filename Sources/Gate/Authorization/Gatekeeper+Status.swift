import CaptureBase
import Dispatch

extension Gatekeeper {
    /// Availability of a capability: whether the device or service exists and is free. Never asks.
    public func availability(of capability: some CapabilityType) async -> Availability {
        await capability.availability(in: self)
    }

    /// Status of a capability: whether it is allowed. Never asks.
    public func status(of capability: some CapabilityType) async -> AuthorizationStatus {
        await capability.authorizationStatus(in: self)
    }

    /// Report on a capability: availability, status and the reason of a refusal, in one reading. Never asks.
    public func report(on capability: some CapabilityType) async -> AuthorizationReport {
        await capability.comparedReport(in: self)
    }

    /// Finds the devices and reads the decisions about them, now.
    /// - Parameters:
    ///   - service: finds capabilities other than microphones and cameras; `nil` for the machine's devices.
    ///   - earlier: a reading whose snapshot of the store is used again if the store has not changed since.
    func read(
        _ requests: [DeviceRequest], in service: (any DeviceDirectory)? = nil,
        after earlier: AuthorizationSnapshot? = nil
    ) async -> AuthorizationSnapshot {
        var resolutions: [DeviceResolution] = []
        for request in requests { resolutions.append(await resolve(request, in: service ?? directory)) }
        let cases = zip(requests, resolutions).map { request, resolution in
            AuthorizationEvaluator.Request(
                request: request, device: resolution.device?.id, aliases: resolution.aliases,
                restriction: resolution.restriction)
        }
        // Devices first: searching for them takes longest, and the decisions must be the newest.
        let evaluator = watcher.evaluator
        let reading = await onStoreQueue { evaluator.reading(of: cases, after: earlier?.store) }
        let items = zip(zip(requests, resolutions), reading.findings).map { pair, finding in
            AuthorizationSnapshot.Item(
                request: pair.0, resolution: pair.1, status: finding.status, laterClock: finding.laterClock)
        }
        return AuthorizationSnapshot(items: items, store: reading.snapshot, gatekeeper: ObjectIdentifier(self))
    }

    /// Answer of the directory; a device other than the named one does not count.
    private func resolve(_ request: DeviceRequest, in directory: any DeviceDirectory) async -> DeviceResolution {
        let resolution = await directory.resolve(request)
        guard let device = resolution.device, !request.device.covers(device.id) else { return resolution }
        return DeviceResolution(device: nil, availability: .absent("\(request.device)"))
    }
}

// MARK: - Requests

extension Gatekeeper {
    /// Asks a person, if asking can help, and reports the resulting status.
    ///
    /// - Returns: the status as read from the store after the answer was stored. It is `notDetermined` if the question ended
    ///   without an answer or nobody could be asked. Callers stay on their executor.
    @discardableResult
    public func requestAccess(for capability: some CapabilityType) async -> AuthorizationStatus {
        await request(capability)
        return await capability.authorizationStatus(in: self)
    }

    // An error is a notice in the log: the status says what came of it.
    private func request(_ capability: some CapabilityType) async {
        do throws(CaptureError) {
            try await capability.authorize(in: self)
        } catch {
            log?.notice("\(error.message)")
        }
    }

    /// Asks a person for the highest level of a capability on any device, if asking can help.
    ///
    /// - Parameters:
    ///   - name: `.microphone` (to record) or `.camera` (to record video).
    ///   - purpose: the sentence that the person reads; by default "Use the microphone" or the like.
    /// - Returns: true if it is allowed now. Callers stay on their executor.
    public func requestAccess(for name: CapabilityName, purpose: String? = nil) async -> Bool {
        let capability = Capability.All([.highest(of: name, purpose: purpose ?? "Use the \(name)")])
        await request(capability)
        return await capability.report(in: self).refusal == nil
    }

    /// Asks a person like the asynchronous method, and calls back once, on `queue` or on the global Dispatch queue; never
    /// before this call returns on the same serial queue.
    public func requestAccess(
        for capability: some CapabilityType, on queue: DispatchQueue? = nil,
        completion: @escaping @Sendable (AuthorizationStatus) -> Void
    ) {
        Task {
            let status = await requestAccess(for: capability)
            (queue ?? .global()).async { completion(status) }
        }
    }

    /// Asks a person like the asynchronous method, and calls back once, on `queue` or on the global Dispatch queue.
    public func requestAccess(
        for name: CapabilityName, purpose: String? = nil, on queue: DispatchQueue? = nil,
        completion: @escaping @Sendable (Bool) -> Void
    ) {
        Task {
            let granted = await requestAccess(for: name, purpose: purpose)
            (queue ?? .global()).async { completion(granted) }
        }
    }

    /// Refusal that these devices would meet now, with what to do; `nil` if they would not. Asks nobody.
    package func refusal(of requests: [DeviceRequest]) async -> CaptureError? {
        await read(requests).refusal(for: subject)
    }
}

extension DeviceRequest {
    static func highest(of name: CapabilityName, purpose: String) -> DeviceRequest {
        DeviceRequest(capability: name, level: .highest(of: name), device: .any, purpose: purpose)
    }
}

extension AccessLevel {
    /// The highest level of the capabilities that have a name here; "use" of any other.
    static func highest(of name: CapabilityName) -> AccessLevel {
        name.levels.last ?? AccessLevel(name: "use", rank: 1)
    }
}

extension Gatekeeper {
    /// Status of a capability now and after each change, by any process. Never asks.
    ///
    /// A consumer that is slow gets the latest and misses those between.
    public func statusChanges<Asked: CapabilityType>(of capability: Asked) -> AsyncStream<AuthorizationStatus> {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Listening comes first, so that a change during the first reading is not lost.
        let observations = [
            store.observeChanges { signal.yield() }, policy.observeChanges { signal.yield() },
        ]
        signal.yield()
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let follower = Task {
                var last: AuthorizationStatus?
                for await _ in signals {
                    let status = await self.status(of: capability)
                    if status != last { continuation.yield(status) }
                    last = status
                }
                withExtendedLifetime(observations) {}
            }
            continuation.onTermination = { _ in
                signal.finish()
                follower.cancel()
            }
        }
    }
}
