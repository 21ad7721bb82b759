import CaptureGate
import GateStore

extension AuditEntry {
    /// `#12  2026-01-31 18:00:00  start  camera (video)  test:bars  /usr/bin/memo: …`
    var line: String {
        guard let event else { return "#\(number)  can't be read: \(text.visible)" }
        let level = event.level.map { " (\($0.name.visible))" } ?? ""
        let what = event.capability.map { "\($0.rawValue.visible)\(level)" } ?? "-"
        let devices = event.devices.isEmpty ? "any" : event.devices.map(\.rawValue.visible).joined(separator: ", ")
        let delivered = event.frames.map { "; \($0) frames, \(NumberText.bytes(Int64(clamping: event.bytes ?? 0)))" }
        return [
            "#\(number)", WallTime.text(nanoseconds: event.at.wallNanoseconds), event.kind.rawValue.padded(to: 10),
            what,
            devices, "\(event.subject?.executable.path.visible ?? "-"): \(event.detail.visible)\(delivered ?? "")",
        ].joined(separator: "  ")
    }

    /// The event as it is stored, or as text where it is no event any more.
    var json: JSONValue {
        [
            "number": .integer(number), "event": event == nil ? .string(text) : .rendered(text),
            "previous": .string(previous), "hash": .string(hash),
        ]
    }
}
