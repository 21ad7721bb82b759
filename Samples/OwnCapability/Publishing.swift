import CaptureGate
import FoundationEssentials

extension CapabilityName {
    static let publishing = CapabilityName(rawValue: "publishing")
}

/// Permission to put clips into a directory that other people read.
struct Publishing: CapabilityType {
    /// Readers of a clip. A permission for the higher level holds for the lower one, and not the other way round: the gate
    /// compares them.
    enum Audience: Int, LeveledRequirement {
        case group = 1
        case everybody
    }

    /// What is requested: the directory, and for whom.
    struct Requirement: LeveledRequirement {
        let folder: String
        let audience: Audience
        var level: AccessLevel { audience.level }
    }

    let requirement: Requirement
    private let memory = Memory()

    init(to folder: String, for audience: Audience = .group) {
        requirement = Requirement(folder: folder, audience: audience)
    }

    var name: CapabilityName { .publishing }
    private var folder: String { requirement.folder }

    /// Availability of the directory, which says nothing about permission.
    func availability(in gatekeeper: Gatekeeper) async -> Availability {
        var isFolder = false
        let isThere = FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder)
        return isThere && isFolder ? .available : .absent("the folder \(folder)")
    }

    /// Stored permission; asks nobody. An answer counts only for the program that it was given to.
    func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus {
        guard case .success(let subject) = gatekeeper.subject, let decision = memory.decision(on: folder),
            decision.subject.userID == subject.userID, decision.subject.executable == subject.executable
        else { return .notDetermined() }
        return Grant(decision).map { .authorized($0) } ?? .denied(decision)
    }

    /// Asks if asking can help, and stores the answer. A dismissal stores nothing.
    func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError) {
        let status = await authorizationStatus(in: gatekeeper)
        if case .denied = status { return }
        if status.meets(requirement.level) { return }
        let subject = try gatekeeper.subject.get()
        do {
            try await gatekeeper.confirm(
                ConfirmationRequest(
                    "Publish clips to \(folder) for \(requirement.audience)?",
                    message: "Whoever of them reads that folder will see the clips.", agreement: "Publish"))
            try memory.keep(.allow, requirement.level, by: subject, on: folder)
        } catch  where error.kind == .conditionFailed {
            try memory.keep(.deny, requirement.level, by: subject, on: folder)
        }
    }

    /// Refusal with a text of its own: the remedies of the default grant microphones and cameras. A permission of too low a
    /// level is left to the gate.
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
            return CaptureError(.notAuthorized, "Publishing to \(folder) was denied.", remedies: [forget])
        case (.available, _):
            return CaptureError(.notAuthorized, "This program needs permission to publish to \(folder).")
        default:
            return CaptureError(
                .inputOutput, "The directory \(folder) does not exist.", remedies: [Remedy("Create it.")])
        }
    }
}
