import ArgumentParser
import CaptureGate
import GateStore

/// Whose captures a command speaks of.
struct SubjectOption: ParsableArguments {
    @Option(
        name: .customLong("to"),
        help: ArgumentHelp(
            "The program that is meant; this program's own recordings where it is not said.", valueName: "executable"),
        completion: .file())
    var executable: String?

    func validate() throws {
        if executable == "" { throw ValidationError("--to takes the path of a program.") }
    }

    /// The subject of this user and session.
    ///
    /// Without the systemd unit this command happens to run in: a person who decides at one terminal means the program
    /// wherever it is started. A sandbox stays, since the same path inside another one is another program.
    ///
    /// - Parameter known: program files that were read before.
    func subject(known: [Executable]) throws(CaptureError) -> Subject {
        let own = try ProcessSubject.current(known: known)
        let sandbox = own.application.flatMap { $0.kind == .unit ? nil : $0 }
        return Subject(
            userID: own.userID, groupIDs: own.groupIDs,
            executable: try named(known) ?? own.executable,
            application: executable == nil ? sandbox : nil, session: own.session)
    }

    private func named(_ known: [Executable]) throws(CaptureError) -> Executable? {
        guard let executable else { return nil }
        return try ProcessSubject.executable(at: executable, known: known)
    }
}

/// Which device a decision is about.
struct DeviceOption: ParsableArguments {
    @Option(
        name: .customLong("device"),
        help: ArgumentHelp(
            "One device alone: an id, or a part of its name that no other device has; any device where it is not said.",
            valueName: "id"), completion: DeviceCompletion.any)
    var text: String?

    /// - Parameter capability: what the device must be.
    /// - Throws: `.noDevice` where no device that is there fits and the text is no id.
    func selector(_ capability: CapabilityName) throws(CaptureError) -> DeviceSelector {
        guard let text else { return .any }
        let devices = DeviceCatalog.scan(.identity)
        if let other = devices.first(where: { $0.id.rawValue == text && $0.capability != capability }) {
            throw CaptureError(
                .noDevice, "\(text) is a \(other.capability), not a \(capability).",
                remedies: [Remedy("See which devices there are.", command: "capturegate devices")])
        }
        do throws(CaptureError) {
            return .id(try DeviceQuery(text).pick(from: devices, capability).id)
        } catch {
            // An id of a device that is not plugged in now may be decided about; it begins with what the device is.
            // No id has a character in it that moves a cursor.
            let prefix = "\(capability):"
            guard text.hasPrefix(prefix), text.count > prefix.count, text == text.visible else { throw error }
            return .id(DeviceID(rawValue: text))
        }
    }
}

/// The grants and the audit log of this user.
enum UserStore {
    static func open() throws(CaptureError) -> SQLiteGrantStore {
        try SQLiteGrantStore(directory: SQLiteGrantStore.userDirectory())
    }

    /// The log alone, also of a store by which nothing may be decided any more.
    static func openLog() throws(CaptureError) -> AuditLog {
        try SQLiteGrantStore(inspecting: SQLiteGrantStore.userDirectory()).audit
    }
}
