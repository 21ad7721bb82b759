import ArgumentParser
import CaptureGate
import Dispatch
import LinuxSystem

/// `capturegate status --watch`: tells who begins and ends to use a camera or a microphone, whether asked or not.
struct UseWatch {
    let json: Bool
    /// File for a bar, absolute or relative; `nil` for none.
    let statusFile: String?
    /// Program that shows a notification; `nil` for none.
    let notifier: Notifier?

    /// Tells changes until the task is cancelled.
    func tellAll() async throws {
        var uses: Set<DeviceUse> = []
        var isFirst = true
        try await DeviceUseMonitor().each { found in
            let changes = UseChange.between(uses, found)
            uses = found
            for change in changes {
                try StandardStream.output.line(json ? change.json(isInitial: isFirst).text : change.text(isFirst))
                if !isFirst { notifier?.show(change) }
            }
            if let statusFile, isFirst || !changes.isEmpty {
                try WholeFile(path: statusFile).write(Self.bar(uses).text + "\n", isLasting: false)
            }
            isFirst = false
        }
    }

    /// All that a bar shows: for each capability the uses now.
    static func bar(_ uses: Set<DeviceUse>) -> JSONValue {
        let rows = UseChange.sorted(uses)
        return .object(
            [CapabilityName.camera, .microphone].map { capability in
                (capability.rawValue, .array(rows.filter { $0.capability == capability }.map { .members($0.members) }))
            })
    }
}

/// Beginning or end of a use.
struct UseChange {
    let use: DeviceUse
    let isBeginning: Bool

    /// Changes from one look to the next: ends first, each in the order of devices and processes.
    static func between(_ old: Set<DeviceUse>, _ new: Set<DeviceUse>) -> [UseChange] {
        sorted(old.subtracting(new)).map { UseChange(use: $0, isBeginning: false) }
            + sorted(new.subtracting(old)).map { UseChange(use: $0, isBeginning: true) }
    }

    static func sorted(_ uses: Set<DeviceUse>) -> [DeviceUse] {
        uses.sorted { ($0.device.id.rawValue, $0.holder.processID) < ($1.device.id.rawValue, $1.holder.processID) }
    }

    /// Change for people; what was there at the first look has begun before.
    func text(_ isInitial: Bool) -> String {
        let word = isBeginning ? (isInitial ? "in use" : "begin") : "end"
        return "\(word.padded(to: 6))  \(use.capability.rawValue.padded(to: 10))  \(sentence)"
    }

    /// Device and program, as a notification says them, too.
    var sentence: String {
        "\(use.device.name.visible) by \(use.holder.command.visible) (process \(use.holder.processID))"
    }

    /// Change for programs.
    func json(isInitial: Bool) -> JSONValue {
        .members(
            [
                ("event", .string(isBeginning ? "begin" : "end")), ("initial", .bool(isInitial)),
                ("at_ns", .integer(SystemClock.realtime.now)),
            ] + use.members)
    }
}

extension DeviceUse {
    /// Members of its JSON object.
    fileprivate var members: [(String, JSONValue?)] {
        [
            ("capability", .string(capability.rawValue)), ("id", .string(device.id.rawValue)),
            ("name", .string(device.name)), ("process", .count(holder.processID)), ("command", .string(holder.command)),
        ]
    }
}

/// Shows notifications on the desktop, by libnotify's program: one after the other, and whoever watches waits for none of them.
///
/// *thread-safe*
final class Notifier: Sendable {
    private static let path = "/usr/bin/notify-send"
    /// Most that wait for a service that does not answer; further ones are left out.
    private static let most = 16
    private let environment: [String: String]
    private let queue = DispatchQueue(label: "capturegate.notifier")
    /// Number of those that are not shown yet.
    private let waiting = Locked(0)

    /// - Throws: `.unavailable` where nothing would be shown.
    init(_ environment: [String: String]) async throws(CaptureError) {
        if let obstacle = await DesktopNotifications().obstacle() { throw obstacle }
        guard FileSystem.allows(.execute, to: Self.path) else {
            throw CaptureError(
                .unavailable, "There is no program to show a notification with.",
                remedies: [Remedy("Install it.", command: "sudo apt-get install libnotify-bin")])
        }
        self.environment = environment
    }

    /// Shows one soon; a service that has gone meanwhile, or does not answer, keeps nothing from being told.
    func show(_ change: UseChange) {
        let mayWait = waiting.withLock { waiting in
            guard waiting < Self.most else { return false }
            waiting += 1
            return true
        }
        guard mayWait else { return }
        let title = "\(change.use.capability.rawValue.capitalizedFirst) \(change.isBeginning ? "in use" : "free again")"
        let child = ChildProcess(
            path: Self.path,
            arguments: ["--app-name=CaptureGate", "--icon=camera-web", "--", title, Self.escaped(change.sentence)],
            environment: environment)
        queue.async {
            _ = try? child.run(until: Deadline(after: .seconds(3)), cancel: -1)
            self.waiting.withLock { $0 -= 1 }
        }
    }

    /// Text that is shown as it is: a service reads markup (Desktop Notifications Specification 1.2), and before it notify-send
    /// what stands behind a backslash.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
            ">", with: "&gt;")
    }
}

extension String {
    /// First letter as it stands at the beginning of a sentence.
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
