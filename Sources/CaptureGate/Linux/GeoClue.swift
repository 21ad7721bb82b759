import Gate
import LinuxSystem

/// The machine's location service: GeoClue 2 on the system bus, `org.freedesktop.GeoClue2`.
///
/// GeoClue decides as well: by its configuration, and by the desktop's agent, which may ask the person. It can't be queried
/// without starting it: only `Start` of a client shows the decision, with the error AccessDenied for a denial.
///
/// *thread-safe*
public struct GeoClue: LocationService {
    /// Name of this program for GeoClue and its agent: that of its desktop file, without ".desktop".
    public let desktopID: String
    /// Time that a person has to answer the agent.
    public let deadline: Duration
    private let service: BusService

    public var description: DeviceDescription { DeviceDescription(id: "location:geoclue", name: "GeoClue") }

    /// - Parameters:
    ///   - desktopID: `nil` for the name of the sandbox's application, or otherwise of the program's file.
    ///   - deadline: time for a person to answer the agent.
    public init(desktopID: String? = nil, deadline: Duration = .seconds(60)) {
        self.init(desktopID: desktopID, deadline: deadline, environment: ProcessEnvironment.current)
    }

    init(desktopID: String?, deadline: Duration, environment: [String: String]) {
        self.desktopID = desktopID ?? Self.ownID
        self.deadline = deadline
        service = BusService(
            bus: .system, environment: environment, complaint: "The position is not available",
            name: "the location service GeoClue", advice: "Install GeoClue (geoclue-2.0), and start it.",
            adviceOfSilence: "Answer the desktop's question. Without a desktop, start an agent for GeoClue first "
                + "(/usr/libexec/geoclue-2.0/demos/agent).")
    }

    /// Reads the accuracy that GeoClue has sources for.
    public func state(for accuracy: LocationAccuracy) async -> ServiceState {
        let service = service
        let found = await service.run(within: .seconds(5)) { bus, end, cancel throws(CaptureError) in
            let answer = try service.call(
                .ofProperties("Get", at: Self.managerPath, of: Self.name),
                [.text("\(Self.name).Manager"), .text("AvailableAccuracyLevel")], on: bus, until: end, cancel: cancel)
            return answer.values.first?.number ?? 0
        }
        switch found {
        case .success(let level) where level >= accuracy.geoClueLevel: return .available
        case .success(0):
            return .absent(service.sourceless("GeoClue has no source of positions, or it is disabled"))
        case .success: return .absent(service.sourceless("GeoClue has no source of the accuracy \"\(accuracy)\""))
        case .failure(let error) where error.kind == .notAuthorized:
            return .restricted(
                Restriction(
                    cause: .nodePermissions(node: Self.name), reason: error.message, remedies: error.remedies))
        case .failure(let error): return .absent(error)
        }
    }

    /// Starts a client, which its agent may ask a person about, and lets go of it.
    public func ask(for accuracy: LocationAccuracy) async -> ServiceAnswer {
        let answer = await service.run(within: deadline) { bus, end, cancel throws(CaptureError) in
            _ = try start(accuracy, on: bus, until: end, cancel: cancel)
        }
        switch answer {
        case .success: return .allowed
        case .failure(let error): return error.kind == .notAuthorized ? .refused(error) : .failed(error)
        }
    }

    public func position(
        _ accuracy: LocationAccuracy, within limit: Duration
    ) async throws(CaptureError) -> GeographicPosition {
        try await service.run(within: limit) { bus, end, cancel throws(CaptureError) in
            try service.listen(to: "\(Self.name).Client", "LocationUpdated", on: bus)
            let client = try start(accuracy, on: bus, until: end, cancel: cancel)
            let path = try searching.first(from: client.sender, on: bus, until: end, cancel: cancel) { signal in
                signal.path == client.path && signal.values.count == 2 ? signal.values[1].path : nil
            }
            return try position(at: path, on: bus, until: end, cancel: cancel)
        }.get()
    }

    /// The service once it has let this program in: its silence means that it finds nothing.
    private var searching: BusService {
        var service = service
        service.adviceOfSilence = "Try again, or ask for a coarser position."
        return service
    }

    /// A client that was started: its path, and the connection that GeoClue speaks by.
    private struct Client {
        let path: String
        let sender: String
    }

    /// - Throws: `.notAuthorized` for GeoClue's no. The client ends with its connection.
    private func start(
        _ accuracy: LocationAccuracy, on bus: borrowing BusConnection, until end: Deadline, cancel: Int32
    ) throws(CaptureError) -> Client {
        let manager = BusConnection.Method(
            destination: Self.name, path: Self.managerPath, interface: "\(Self.name).Manager", member: "GetClient")
        let answer = try service.call(manager, on: bus, until: end, cancel: cancel)
        guard let path = answer.values.first?.path else { throw service.error(.answered) }
        let interface = "\(Self.name).Client"
        let facts: [(String, BusValue)] = [
            ("DesktopId", .text(desktopID)), ("RequestedAccuracyLevel", .number(accuracy.geoClueLevel)),
        ]
        for (property, value) in facts {
            _ = try service.call(
                .ofProperties("Set", at: path, of: Self.name), [.text(interface), .text(property), .variant(value)],
                on: bus, until: end, cancel: cancel)
        }
        let start = BusConnection.Method(
            destination: Self.name, path: path, interface: interface, member: "Start")
        _ = try service.call(start, on: bus, until: end, cancel: cancel)
        return Client(path: path, sender: answer.sender)
    }

    private func position(
        at path: String, on bus: borrowing BusConnection, until end: Deadline, cancel: Int32
    ) throws(CaptureError) -> GeographicPosition {
        let answer = try service.call(
            .ofProperties("GetAll", at: path, of: Self.name), [.text("\(Self.name).Location")], on: bus, until: end,
            cancel: cancel)
        guard let facts = answer.values.first, let latitude = facts["Latitude"]?.real,
            let longitude = facts["Longitude"]?.real, let accuracy = facts["Accuracy"]?.real,
            let position = GeographicPosition(latitude: latitude, longitude: longitude, accuracy: accuracy)
        else { throw service.error("GeoClue returned an invalid position") }
        return position
    }

    private static let name = "org.freedesktop.GeoClue2"
    private static let managerPath = "/org/freedesktop/GeoClue2/Manager"

    /// The sandbox's word for it goes before the file's name, which the program's author did not register.
    private static var ownID: String {
        let cgroup = ProcessFile.text("/proc/self/cgroup") ?? ""
        if let application = CgroupApplication.application(cgroup: cgroup), application.kind != .unit {
            return application.name
        }
        return ProcessFile.link("/proc/self/exe")?.split(separator: "/").last.map(String.init) ?? "unknown"
    }
}

extension BusService {
    /// Error of a service that runs, and knows less than is required.
    fileprivate func sourceless(_ why: String) -> CaptureError {
        CaptureError(
            .unavailable, "\(complaint): \(why).",
            remedies: [Remedy("Enable its sources, such as Wi-Fi or GPS, or ask for a coarser position.")])
    }
}

extension LocationAccuracy {
    /// GeoClue's number for it: GClueAccuracyLevel.
    var geoClueLevel: Int64 {
        switch self {
        case .country: 1
        case .city: 4
        case .neighbourhood: 5
        case .street: 6
        case .exact: 8
        }
    }
}

extension Capability.Location {
    /// The position of this machine, by `GeoClue`.
    ///
    /// - Parameters:
    ///   - accuracy: how exact it is to be.
    ///   - purpose: reason, which the question shows.
    public init(_ accuracy: LocationAccuracy, purpose: String) {
        self.init(accuracy, purpose: purpose, by: GeoClue())
    }
}
