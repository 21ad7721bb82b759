import CaptureBase

/// State of a service of the machine that gives a capability, read without asking anybody.
///
/// *thread-safe*
public enum ServiceState: Sendable {
    case available
    /// It does not run, or can't provide the required level; the error describes the problem and a remedy.
    case absent(CaptureError)
    /// It is there, and this user may not use it so.
    case restricted(Restriction)
}

/// Answer of a service that decides itself, and can ask a person.
///
/// *thread-safe*
public enum ServiceAnswer: Sendable {
    case allowed
    /// Its no, with its reason.
    case refused(CaptureError)
    /// No answer: it did not come in time, was cancelled, or the service is gone. It allows nothing.
    case failed(CaptureError)
}

/// Answers of services in this process. They are not stored: the person changes them in the service.
///
/// *thread-safe*
final class ServiceAnswers: Sendable {
    /// A service may allow a low level and refuse a high one.
    struct Key: Hashable, Sendable {
        let device: DeviceID
        let level: AccessLevel
    }

    private let answers = Locked<[Key: ServiceAnswer]>([:])

    func keep(_ answer: ServiceAnswer, to key: Key) { answers.withLock { $0[key] = answer } }

    /// - Returns: `nil` if the service was not asked yet.
    func answer(to key: Key) -> ServiceAnswer? { answers.withLock { $0[key] } }
}

/// Authorization of a capability that a service of the machine gives: the gate's decision by store, policy and person,
/// and the say that the service has itself.
///
/// *thread-safe*
struct ServiceAuthorization: DeviceDirectory {
    let request: DeviceRequest
    /// The service, as a question shows it.
    let service: DeviceDescription
    let state: ServiceState
    /// Set where the service has to be asked, too.
    let hasSay: Bool

    func resolve(_ request: DeviceRequest) async -> DeviceResolution {
        switch state {
        case .available: DeviceResolution(device: service, availability: .available)
        case .absent: DeviceResolution(device: nil, availability: .absent(service.name))
        case .restricted(let restriction):
            DeviceResolution(device: service, availability: .available, restriction: restriction)
        }
    }

    /// Availability, status and refusal, in one reading. Asks nobody.
    func report(in gatekeeper: Gatekeeper) async -> AuthorizationReport {
        let own = await gatekeeper.read([request], in: self).report(for: gatekeeper.subject)
        if case .absent(let error) = state {
            return AuthorizationReport(
                availability: own.availability, status: own.status, refusal: error, isAskable: false)
        }
        guard own.refusal == nil, hasSay else { return own }
        return judged(own, gatekeeper.services.answer(to: key), in: gatekeeper)
    }

    /// Combines the gate's permission with the service's answer. If the service was not asked yet, the next question asks it.
    private func judged(
        _ own: AuthorizationReport, _ answer: ServiceAnswer?, in gatekeeper: Gatekeeper
    ) -> AuthorizationReport {
        switch answer {
        case .allowed: own
        case nil:
            AuthorizationReport(
                availability: own.availability, status: own.status, refusal: nil, isAskable: true)
        case .failed(let error):
            AuthorizationReport(
                availability: own.availability, status: .notDetermined(), refusal: error, isAskable: true)
        case .refused(let error):
            AuthorizationReport(
                availability: own.availability, status: denied(in: gatekeeper) ?? own.status, refusal: error,
                isAskable: false)
        }
    }

    /// The service's no as a status: nobody's who was asked by the gate, and not stored.
    private func denied(in gatekeeper: Gatekeeper) -> AuthorizationStatus? {
        guard case .success(let subject) = gatekeeper.subject else { return nil }
        return .denied(
            Decision(
                verdict: .deny, subject: subject, capability: request.capability, level: request.level,
                device: request.device, lifetime: .always, decidedBy: .system, decidedAt: gatekeeper.clock.now))
    }

    /// Has a person asked, if asking can help, and then the service.
    ///
    /// - Parameter asking: asks the service, which may show its own dialog.
    /// - Throws: as `CapabilityType.requestAuthorization(in:)`; a denial by the service is not an error here.
    func request(
        in gatekeeper: Gatekeeper, asking: @escaping @Sendable () async -> ServiceAnswer
    ) async throws(CaptureError) {
        if case .absent(let error) = state { throw error }
        try await gatekeeper.settle([request], in: self)
        guard hasSay, await gatekeeper.read([request], in: self).refusal(for: gatekeeper.subject) == nil else { return }
        guard !InteractionPolicy.isSilent else { return }
        // In turn with all questions: two dialogs at once could be mistaken for each other.
        let (services, key) = (gatekeeper.services, key)
        let turn = QuestionKey.single(gatekeeper.locks.nextNumber())
        try await gatekeeper.prompts.ask(turn) {
            let answer = await asking()
            guard case .failed(let error) = answer else {
                services.keep(answer, to: key)
                return .success(())
            }
            // A cancelled question has no answer that applies to the next one.
            if error.kind != .cancelled { services.keep(answer, to: key) }
            return .failure(error)
        }.get()
    }

    private var key: ServiceAnswers.Key { ServiceAnswers.Key(device: service.id, level: request.level) }
}

extension ServiceAuthorization {
    /// Uses the service between two lines of the audit log. A grant for once is used up.
    ///
    /// - Parameter body: gets what the service gives.
    /// - Throws: the refusal, if there is one now; what the body throws. Its `.notAuthorized` is kept as the service's no.
    func use<Value: Sendable>(
        in gatekeeper: Gatekeeper, _ body: @Sendable () async throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        let report = await report(in: gatekeeper)
        let refusal = report.refusal ?? (report.status.meets(request) ? nil : .incomplete)
        if let refusal {
            await gatekeeper.reportRefusal(of: [request], devices: [service.id], refusal)
            throw refusal
        }
        try await begin(report.status.grant, in: gatekeeper)
        do throws(CaptureError) {
            let value = try await body()
            if hasSay { gatekeeper.services.keep(.allowed, to: key) }
            await gatekeeper.reportEnd(event(.stop, "it was used", in: gatekeeper), of: service)
            return value
        } catch {
            if hasSay, error.kind == .notAuthorized { gatekeeper.services.keep(.refused(error), to: key) }
            await gatekeeper.reportEnd(event(.stop, error.message, in: gatekeeper), of: service)
            throw error
        }
    }

    /// Writes the `start` line, with which a grant for once goes: nothing is given if the store does not take it.
    private func begin(_ grant: Grant?, in gatekeeper: Gatekeeper) async throws(CaptureError) {
        let (store, once) = (gatekeeper.store, grant?.lifetime == .once ? grant?.id : nil)
        let event = event(.start, "use began", in: gatekeeper, decision: grant?.id)
        let written = await gatekeeper.onStoreQueue { () -> Result<Void, CaptureError> in
            Result { () throws(CaptureError) in
                if let once { _ = try store.consume(once: [once], audit: event) } else { try store.append(event) }
            }
        }
        try written.get()
    }

    private func event(
        _ kind: AuditEvent.Kind, _ detail: String, in gatekeeper: Gatekeeper, decision: Int64? = nil
    ) -> AuditEvent {
        AuditEvent(
            kind, at: gatekeeper.clock.now, subject: try? gatekeeper.subject.get(), capability: request.capability,
            level: request.level, devices: [service.id], decision: decision, detail: detail)
    }
}

extension CaptureError {
    /// Refusal where a report without a refusal has no grant that is high enough: nothing is given on trust.
    fileprivate static let incomplete = CaptureError(.notAuthorized, "The authorization is incomplete.")
}
