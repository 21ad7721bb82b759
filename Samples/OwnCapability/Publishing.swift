import CaptureGate
import FoundationEssentials

extension CapabilityName {
    static let publishing = CapabilityName(rawValue: "publishing")
}

/// Permission to put clips into a directory that other people read.
struct Publishing: CapabilityType {
    /// Resource that is requested: the directory. A capability with levels or a purpose would have a type of its own here.
    let requirement: String
    private let memory = Memory()

    init(to folder: String) { requirement = folder }

    var name: CapabilityName { .publishing }

    /// Availability of the directory, which says nothing about permission.
    func availability(in gatekeeper: Gatekeeper) async -> Availability {
        var isFolder = false
        let isThere = FileManager.default.fileExists(atPath: requirement, isDirectory: &isFolder)
        return isThere && isFolder ? .available : .absent("the folder \(requirement)")
    }

    /// Stored permission; asks nobody. An answer counts only for the program that it was given to.
    func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus {
        guard case .success(let subject) = gatekeeper.subject, let decision = memory.decision(on: requirement),
            decision.subject.userID == subject.userID, decision.subject.executable == subject.executable
        else { return .notDetermined() }
        return Grant(decision).map { .authorized($0) } ?? .denied(decision)
    }

    /// Asks if asking can help, and stores the answer. A dismissal stores nothing.
    func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError) {
        guard case .notDetermined = await authorizationStatus(in: gatekeeper) else { return }
        let subject = try gatekeeper.subject.get()
        do {
            try await gatekeeper.confirm(
                Confirmation(
                    "Publish clips to \(requirement)?", message: "Everybody who reads that folder will see them.",
                    agreement: "Publish"))
            try memory.keep(.allow, by: subject, on: requirement)
        } catch  where error.kind == .conditionFailed {
            try memory.keep(.deny, by: subject, on: requirement)
        }
    }

    /// Refusal with a text of its own: the remedies of the default grant microphones and cameras.
    func report(in gatekeeper: Gatekeeper) async -> AuthorizationReport {
        let availability = await availability(in: gatekeeper)
        let status = await authorizationStatus(in: gatekeeper)
        return AuthorizationReport(
            availability: availability, status: status, refusal: refusal(availability, status),
            isAskable: availability.isAvailable && status == .notDetermined())
    }

    private func refusal(_ availability: Availability, _ status: AuthorizationStatus) -> CaptureError? {
        let forget = Remedy("Forget the answer, and be asked again.", command: "OwnCapability --forget")
        switch (availability, status) {
        case (.available, .authorized): return nil
        case (.available, .denied):
            return CaptureError(.notAuthorized, "Publishing to \(requirement) was denied.", remedies: [forget])
        case (.available, _):
            return CaptureError(.notAuthorized, "Nobody has allowed this program to publish to \(requirement) yet.")
        default:
            return CaptureError(.inputOutput, "There is no folder \(requirement).", remedies: [Remedy("Make it.")])
        }
    }
}
