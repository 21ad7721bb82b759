import CaptureGate
import GateStore

/// Tells what the verification of the audit log found.
struct LogVerification {
    let report: AuditReport

    /// - Throws: `.store`, exit code 78, where it is not intact.
    func tell(json: Bool) throws {
        if json { try StandardStream.output.line(document.text) }
        guard let fault = report.fault else {
            return json ? () : try StandardStream.output.lines([intact] + unfinished)
        }
        if json { throw ExitStatus(code: CaptureError(.store, fault.message).exitCode) }
        throw CaptureError(
            .store, "The audit log is not intact from line \(fault.number) on: \(fault.message)",
            remedies: [
                Remedy("Lines before it can be trusted; compare with a backup.", command: "capturegate log --last 50")
            ])
    }

    private var intact: String {
        let count = NumberText.counted(report.lines, "line")
        let range = report.first.map { ", #\($0) to #\(report.last ?? $0)" } ?? ""
        return "The audit log is intact: \(count)\(range)."
    }

    /// Whoever is killed writes no end: that is told, and no fault.
    private var unfinished: [String] {
        let lines = report.unfinished
        guard !lines.isEmpty else { return [] }
        let shown =
            lines.suffix(10).map { "#\($0)" }.joined(separator: ", ") + (lines.count > 10 ? " and earlier ones" : "")
        return [
            "\(NumberText.counted(lines.count, "capture")) ended without a line that says so: \(shown). The program was killed, "
                + "or could not write it."
        ]
    }

    private var document: JSONValue {
        let fault = report.fault.map { fault -> JSONValue in
            [
                "kind": .string(fault.kind.rawValue), "number": .integer(fault.number),
                "message": .string(fault.message),
            ]
        }
        return [
            "intact": .bool(report.isIntact), "lines": .count(report.lines),
            "first": report.first.map { .integer($0) } ?? .null, "last": report.last.map { .integer($0) } ?? .null,
            "fault": fault ?? .null, "unfinished": .array(report.unfinished.map { .integer($0) }),
        ]
    }
}
