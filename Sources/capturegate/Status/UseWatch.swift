import ArgumentParser
import CaptureGate
import Dispatch
import LinuxSystem

/// `capturegate status --watch`: shows programs as they start and
/// stop using a camera or microphone, also those that never asked.
struct UseWatch {
    let json: Bool
    /// File for a status bar, absolute or relative; `nil` for none.
    let statusFile: String?
    /// Program that shows a notification; `nil` for none.
    let notifier: Notifier?

    /// Shows changes until the task is cancelled.
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

    /// State for a status bar: the current uses of each capability.
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

    /// Changes between two readings: ends first, each in the order of devices and processes.
    static func between(_ old: Set<DeviceUse>, _ new: Set<DeviceUse>) -> [UseChange] {
        sorted(old.subtracting(new)).map { UseChange(use: $0, isBeginning: false) }
            + sorted(new.subtracting(old)).map { UseChange(use: $0, isBeginning: true) }
    }

    static func sorted(_ uses: Set<DeviceUse>) -> [DeviceUse] {
        uses.sorted { ($0.device.id.rawValue, $0.holder.processID) < ($1.device.id.rawValue, $1.holder.processID) }
    }

    /// Change for people. Uses that the first reading finds have begun earlier.
    func text(_ isInitial: Bool) -> String {
        let word = isBeginning ? (isInitial ? "in use" : "begin") : "end"
        return "\(word.padded(to: 6))  \(use.capability.rawValue.padded(to: 10))  \(sentence)"
    }

    /// Device and program, in the words that a notification uses, too.
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

/// Shows notifications on the desktop with libnotify's program, one after another. The watch never waits for them.
///
/// *thread-safe*
final class Notifier: Sendable {
    private static let path = "/usr/bin/notify-send"
    /// Limit on the notifications that wait for a slow service; further ones are dropped.
    private static let most = 16
    private let environment: [String: String]
    private let queue = DispatchQueue(label: "capturegate.notifier")
    /// Number of notifications that wait.
    private let waiting = Locked(0)

    /// - Throws: `.unavailable` if no notification would be shown.
    init(_ environment: [String: String]) async throws(CaptureError) {
        if let obstacle = await DesktopNotifications().obstacle() { throw obstacle }
        guard FileSystem.allows(.execute, to: Self.path) else {
            throw CaptureError(
                .unavailable, "There is no program to show a notification with.",
                remedies: [Remedy("Install it.", command: "sudo apt-get install libnotify-bin")])
        }
        self.environment = environment
    }

    /// Queues a notification. A service that is gone or does not answer never delays the watch.
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

    /// Text escaped so that it is shown literally: notify-send reads backslashes, and then the service reads markup (Desktop
    /// Notifications Specification 1.2).
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
            ">", with: "&gt;")
    }
}

extension String {
    /// Text with a capital first letter.
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
