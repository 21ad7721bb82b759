import CaptureGate
import GateStore

/// Says how much of the audit log is kept.
struct LogRetention {
    let log: AuditLog
    let lines: Int

    func set(json: Bool) throws {
        let event = AuditEvent(
            .removal, at: SystemGateClock().now, subject: try ProcessSubject.current(),
            detail: "the log keeps \(lines) lines from now on, by command")
        let dropped = try log.keep(lines, audit: event)
        let document: JSONValue = ["kept_lines": .count(lines), "dropped": .count(dropped)]
        let text = "The log keeps \(NumberText.counted(lines, "line")); \(dropped) were dropped."
        try StandardStream.output.line(json ? document.text : text)
    }
}
