import ArgumentParser
import CaptureGate
import GateStore
import LinuxSystem

/// Option that names the program a command is about.
struct SubjectOption: ParsableArguments {
    /// This program by default: people who record with `capturegate` decide about `capturegate`.
    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("Program, by its path (default: capturegate itself).", valueName: "executable"),
        completion: .file())
    var executable: String?

    /// Refuses an empty path, which an unset shell variable leaves, before it would mean the current
    /// directory.
    func validate() throws {
        if executable == "" { throw ValidationError("--to needs the path of a program.") }
    }

    /// Subject of this user and session.
    ///
    /// Without the systemd unit that this command happens to run in: a person who decides at one terminal
    /// means the program wherever it is started. A sandbox is kept, since the same path inside another one is
    /// another program.
    ///
    /// - Parameter known: program files that were read before; one that is unchanged is not hashed again.
    func subject(known: [Executable]) throws(CaptureError) -> Subject {
        let own = try ProcessSubject.current(known: known)
        let sandbox = own.application.flatMap { $0.kind == .unit ? nil : $0 }
        return Subject(
            userID: own.userID, groupIDs: own.groupIDs,
            executable: try named(known) ?? own.executable,
            application: executable == nil ? sandbox : nil, session: own.session)
    }

    /// Executable that was named; `nil` for this program itself.
    private func named(_ known: [Executable]) throws(CaptureError) -> Executable? {
        guard let executable else { return nil }
        return try ProcessSubject.executable(at: executable, known: known)
    }
}

/// Option that limits a decision to one device.
struct DeviceOption: ParsableArguments {
    /// Any device by default: most machines have one of each, and its id need not be looked up.
    @Option(
        name: .customLong("device"),
        help: ArgumentHelp("Device: id, node or part of its name (default: all).", valueName: "id"),
        completion: DeviceCompletion.any)
    var text: String?

    /// Selector of the device that is meant.
    ///
    /// - Parameter capability: capability that the device must have.
    /// - Throws: `.noDevice` if no present device matches and the text is no id.
    func selector(_ capability: CapabilityName) throws(CaptureError) -> DeviceSelector {
        guard let text else { return .any }
        return .id(try Self.id(text, capability))
    }

    /// Id of the device that a text means.
    ///
    /// - Throws: `.noDevice` if no present device matches and the text is no id.
    static func id(_ text: String, _ capability: CapabilityName) throws(CaptureError) -> DeviceID {
        let devices = DeviceCatalog.scan(.identity)
        // Said before the query would say "no such device", which is true and misleading.
        if let other = devices.first(where: { $0.id.rawValue == text && $0.capability != capability }) {
            throw CaptureError(
                .noDevice, "\(text) is a \(other.capability), not a \(capability).",
                remedies: [Remedy("List the devices.", .listDevices)])
        }
        do throws(CaptureError) {
            return try DeviceQuery(text).pick(from: devices, capability).id
        } catch {
            // Absent devices are accepted, so that a grant applies once the device is plugged in. An id begins with its capability
            // and has no characters that a terminal would obey.
            let prefix = "\(capability):"
            guard text.hasPrefix(prefix), text.count > prefix.count, text == text.visible else { throw error }
            return DeviceID(rawValue: text)
        }
    }
}

/// Grants and audit log of this user.
enum UserStore {
    /// Opens this user's own store, which decides unless there is a broker.
    static func open() throws(CaptureError) -> SQLiteGrantStore {
        try SQLiteGrantStore(directory: SQLiteGrantStore.userDirectory())
    }

    /// Opens the store that decides: the broker's if there is one. A person must confirm each permission that the broker stores,
    /// at this terminal if the broker lets this program ask.
    static func deciding() throws(CaptureError) -> any GrantStore {
        guard let broker = BrokerLink.machine else { return try open() }
        let agent = BrokerAgent(of: BrokerLink.machineUser, asking: PrompterChain.system)
        let store = BrokeredStore(of: agent)
        do throws(CaptureError) {
            _ = try store.snapshot()
        } catch {
            // The broker does not let this program ask. It still shows the decisions about this program, and another agent
            // confirms.
            guard error.kind == .notAuthorized else { throw error }
            return BrokeredStore(broker)
        }
        // The agent answers until this process ends.
        Task.detached { try? await agent.run() }
        return store
    }

    /// Opens only the log. Works even if the store is too damaged
    /// to decide by, which is when the log is needed most.
    ///
    /// - Parameter user: user whose decisions the machine's broker keeps; `nil` for this user's own store.
    static func openLog(ofBroker user: String? = nil) throws(CaptureError) -> AuditLog {
        guard let user else { return try SQLiteGrantStore(inspecting: SQLiteGrantStore.userDirectory()).audit }
        guard let id = UInt32(user) ?? ((try? Users.id(ofUser: user)) ?? nil) else {
            throw CaptureError(
                .usage, "There is no user \(user.visible).",
                remedies: [Remedy("List the users.", command: "getent passwd")])
        }
        return try SQLiteGrantStore(inspecting: "\(brokerState)/\(id)").audit
    }

    /// Directory of the machine's broker, readable by root and the broker only.
    private static let brokerState = "/var/lib/capturegate"
}

extension GrantStore {
    /// Programs with decisions. A file that has not changed since then is not hashed again.
    func knownPrograms() throws(CaptureError) -> [Executable] {
        if let own = self as? SQLiteGrantStore { return try own.executables() }
        return try snapshot().decisions.map(\.subject.executable)
    }
}
