import CaptureBase

/// Devices, availability and status of the requests of one operation, at one moment.
struct AuthorizationSnapshot: Sendable {
    struct Item: Sendable {
        let request: DeviceRequest
        let resolution: DeviceResolution
        let status: AuthorizationStatus
        /// A later clock that keeps a permission from deciding.
        var laterClock: LaterClock?

        /// Availability; without a device nothing is available, whatever the directory says of it.
        var availability: Availability {
            if resolution.device == nil, resolution.availability.isAvailable { return .absent("\(request.device)") }
            return resolution.availability
        }

        /// Grant that is high enough, of a device that is there.
        var grant: Grant? {
            guard resolution.device != nil, let grant = status.grant, grant.level >= request.level else { return nil }
            return grant
        }

        /// True if a person's answer could help: there is no decision, or a level that can be raised.
        var isAskable: Bool {
            guard resolution.device != nil, grant == nil else { return false }
            return status.severity <= 1
        }

        /// Facts that a refusal of this item tells.
        func notice(for subject: Result<Subject, CaptureError>) -> RefusalNotice {
            RefusalNotice(
                subject: subject, capability: request.capability, request: request, device: resolution.device,
                laterClock: laterClock)
        }
    }

    let items: [Item]
    /// The reading of the store that the items come from.
    var store: StoreSnapshot?
    /// The gatekeeper that read it: another one's says nothing here.
    var gatekeeper: ObjectIdentifier?

    /// True if a gatekeeper read this for exactly these requests.
    func isOf(_ requests: [DeviceRequest], in gatekeeper: Gatekeeper) -> Bool {
        self.gatekeeper == ObjectIdentifier(gatekeeper) && items.map(\.request) == requests
    }

    /// Status of all: restricted before denied before not determined before authorized; of several grants the one that is
    /// too low.
    var status: AuthorizationStatus {
        // Without items nothing is decided.
        let worst = items.map(\.status.severity).max() ?? 1
        let candidates = items.filter { $0.status.severity == worst }
        return (candidates.first { $0.grant == nil } ?? candidates.first)?.status ?? .notDetermined()
    }

    /// Availability of all: absent before busy before available.
    var availability: Availability {
        let all = items.map(\.availability)
        let absent = all.first { if case .absent = $0 { true } else { false } }
        return absent ?? all.first { !$0.isAvailable } ?? .available
    }

    /// Items to ask about; none if nothing is open, or asking would not help.
    var askable: [Item] {
        let open = items.filter { $0.grant == nil }
        return open.allSatisfy(\.isAskable) ? open : []
    }

    /// Error that says why not all of it is allowed; `nil` if all is. A device that is busy is allowed.
    func refusal(for subject: Result<Subject, CaptureError>) -> CaptureError? {
        if items.isEmpty {
            return CaptureError(
                .usage, "The operation names no device.", remedies: [Remedy("Name one in its capability.")])
        }
        // The worst first: its words are the error's.
        let open = items.filter { $0.grant == nil }.sorted { $0.status.severity > $1.status.severity }
        // Absence comes before a refusal, since allowing an absent device does not help.
        let errors = open.compactMap { item -> CaptureError? in
            let notice = item.notice(for: subject)
            return notice.absence(item.availability) ?? notice.refusal(of: item.status)
        }
        return CaptureError.together(errors)
    }

    /// Report for a capability, which carries this reading along.
    func report(for subject: Result<Subject, CaptureError>) -> AuthorizationReport {
        AuthorizationReport(
            availability: availability, status: status, refusal: refusal(for: subject), isAskable: !askable.isEmpty
        ).made(of: self)
    }
}

extension AuthorizationReport {
    fileprivate func made(of snapshot: AuthorizationSnapshot) -> AuthorizationReport {
        var report = self
        report.snapshot = snapshot
        return report
    }
}

extension CaptureError {
    /// One error for several devices: the first's words, everybody's remedies.
    static func together(_ errors: [CaptureError]) -> CaptureError? {
        // Each remedy once: several devices are often refused for one reason.
        guard let first = errors.first else { return nil }
        if errors.count == 1 { return first }
        var remedies: [Remedy] = []
        for remedy in errors.flatMap(\.remedies) where !remedies.contains(remedy) { remedies.append(remedy) }
        let rest = errors.dropFirst().map(\.message).joined(separator: " ")
        return CaptureError(
            first.kind, first.message + " " + rest, errno: first.errno, remedies: remedies, underlying: errors)
    }
}
