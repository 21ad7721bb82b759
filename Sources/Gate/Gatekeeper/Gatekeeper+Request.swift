import CaptureBase
import Dispatch

extension Gatekeeper {
    /// Asks a person, if asking can help, and says how it stands then.
    ///
    /// - Returns: the status as read from the store after the answer was stored there. It is `notDetermined` where the
    ///   question ended without an answer or nobody could be asked. Callers go on where they were: it changes no executor.
    @discardableResult
    public func requestAccess(for capability: some CapabilityType) async -> AuthorizationStatus {
        do throws(CaptureError) {
            try await capability.requestAuthorization(in: self)
        } catch {
            log?.notice("\(error.message)")
        }
        return await capability.authorizationStatus(in: self)
    }

    /// Asks a person for the highest level of a capability on any device, if asking can help.
    ///
    /// - Parameters:
    ///   - name: `.microphone` (to record) or `.camera` (to record moving pictures).
    ///   - purpose: the sentence the person reads; "Use the microphone" and the like where none is given.
    /// - Returns: whether it is allowed now. Callers go on where they were: it changes no executor.
    public func requestAccess(for name: CapabilityName, purpose: String? = nil) async -> Bool {
        let capability = Capability.All([.highest(of: name, purpose: purpose ?? "Use the \(name)")])
        _ = await requestAccess(for: capability)
        return await capability.report(in: self).refusal == nil
    }

    /// The same with a callback, called once, on `queue`, or on the global Dispatch queue without one; never before this
    /// call returns on the same serial queue.
    public func requestAccess(
        for capability: some CapabilityType, on queue: DispatchQueue? = nil,
        completion: @escaping @Sendable (AuthorizationStatus) -> Void
    ) {
        Task {
            let status = await requestAccess(for: capability)
            (queue ?? .global()).async { completion(status) }
        }
    }

    /// The same with a callback, called once, on `queue`, or on the global Dispatch queue without one.
    public func requestAccess(
        for name: CapabilityName, purpose: String? = nil, on queue: DispatchQueue? = nil,
        completion: @escaping @Sendable (Bool) -> Void
    ) {
        Task {
            let granted = await requestAccess(for: name, purpose: purpose)
            (queue ?? .global()).async { completion(granted) }
        }
    }

    /// Why these devices would be refused now, with what to do; `nil` if they would not. Asks nobody.
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
