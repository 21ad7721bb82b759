import CaptureGate

/// Status of a capability of a service, for the word `status`; otherwise its value.
enum LocationProbe {
    static func run(_ accuracy: String, _ words: [String]) async {
        guard let accuracy = LocationAccuracy.allCases.first(where: { "\($0)" == accuracy }) else {
            return print("usage")
        }
        let service = GeoClue(desktopID: "probe", deadline: .seconds(Int(words.dropFirst().first ?? "") ?? 60))
        let location = Capability.Location(accuracy, purpose: "Test", by: service)
        await ServiceProbe.run(location, words.first) { () async throws(CaptureError) in
            let found = try await location.position(in: .shared, within: service.deadline)
            return "\(found.latitude) \(found.longitude) within \(found.accuracy)"
        }
    }
}

/// The same for the pictures directory.
enum PhotosProbe {
    static func run(_ access: String, _ words: [String]) async {
        guard let access = PhotosAccess.allCases.first(where: { "\($0)" == access }) else { return print("usage") }
        let photos = Capability.Photos(access, purpose: "Test", in: UserPictures(deadline: .seconds(60)))
        await ServiceProbe.run(photos, words.first) { () async throws(CaptureError) in
            try await photos.folder(in: .shared)
        }
    }
}

enum ServiceProbe {
    static func run<Asked: CapabilityType>(
        _ capability: Asked, _ word: String?, use: @escaping @Sendable () async throws(CaptureError) -> String
    ) async {
        if word == "status" { return await tell(capability) }
        // As a program does it: the condition asks, the operation uses.
        var operation = ClosureOperation("probe") { _ throws(CaptureError) in try await use() }
        operation.conditions.append(AuthorizedFor(capability))
        do throws(CaptureError) {
            print(try await GateQueue().run(operation))
        } catch {
            print(([error] + error.underlying).map(MachineProbe.describe).joined(separator: " / "))
        }
        await tell(capability)
    }

    private static func tell(_ capability: some CapabilityType) async {
        let report = await Gatekeeper.shared.report(on: capability)
        let status =
            switch report.status {
            case .notDetermined: "not determined"
            case .restricted: "restricted"
            case .denied: "denied"
            case .authorized(let grant): "authorized \(grant.level)"
            }
        let presence = report.availability.isAvailable ? "" : "absent, "
        print(presence + status + (report.refusal.map { ": " + MachineProbe.describe($0) } ?? ""))
    }
}

/// The endpoint that a distributor gives, and what the condition says.
enum PushProbe {
    static func run(_ application: String, _ words: [String]) async {
        let distributors = PushDistributors(
            for: application, token: "secret", purpose: "Test",
            distributor: words.first.flatMap { $0 == "-" ? nil : $0 },
            deadline: .milliseconds(Int(words.dropFirst().first ?? "") ?? 60_000))
        await MachineProbe.evaluate(
            RemoteNotificationCondition(by: distributors) { print("\($0.url) by \($0.distributor)") })
    }
}

/// Outcome of a notice about an error whose remedy has the given command.
enum NoticeProbe {
    static func run(_ seconds: Int, _ command: [String]) async -> String {
        let error = CaptureError(
            .notAuthorized, "<b>Denied</b> & done.",
            remedies: [Remedy("Think about it."), Remedy("Allow it.", .showStatus)])
        let notice = DesktopNotice(deadline: .seconds(seconds)) {
            $0 == .showStatus && !command.isEmpty ? command : nil
        }
        switch await notice.show(error, about: .microphone) {
        case .closed: return "closed"
        case .opened(let remedy): return "opened: \(remedy.text)"
        case .openedSettings: return "settings"
        case .timedOut: return "timed out"
        case .failed(let error): return MachineProbe.describe(error)
        }
    }
}
