import CSystem
import Gate

/// The rules of a folder as they were read at one moment.
struct PolicyReading: Sendable {
    let folder: PolicyFolder
    let rules: [PolicyRule]
    let diagnostics: [PolicyDiagnostic]
    /// Set where the folder was there before, and now is not.
    let hasVanished: Bool
    private let readAt: Int64

    init(of folder: PolicyFolder, at path: String, wasThere: Bool) {
        self.folder = folder
        readAt = cs_clock_ns(Int32(CS_CLOCK_REALTIME))
        hasVanished = wasThere && folder.status == nil
        var rules: [PolicyRule] = []
        var diagnostics = folder.diagnostics
        for file in folder.files {
            let (read, faults) = PolicyReading.read(file.path)
            rules += read
            diagnostics += faults
        }
        if hasVanished {
            diagnostics.append(PolicyDiagnostic(file: path, message: "The folder of the policy vanished."))
        }
        self.rules = rules
        self.diagnostics = diagnostics
    }

    /// Whether a file was written so shortly before it was read that a second write may bear the same time stamp: the
    /// kernel stamps files with the time of its last tick, up to 10 ms old.
    var mayHaveMissedChange: Bool {
        folder.files.contains { $0.status.changedNanoseconds > readAt - 20_000_000 }
    }

    /// Far more than rules that people write.
    private static let largest = 1 << 20

    private static func read(_ path: String) -> ([PolicyRule], [PolicyDiagnostic]) {
        let opened = cs_open(path, O_RDONLY | O_NONBLOCK, 0)
        guard opened >= 0 else { return fault(path, "It can't be opened: \(systemText(opened)).") }
        let file = Descriptor(opened)
        var bytes = [UInt8](repeating: 0, count: largest + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { room in
                cs_read(file.number, room.baseAddress.map { $0 + count }, room.count - count)
            }
            guard got >= 0 else { return fault(path, "It can't be read: \(systemText(got)).") }
            guard got > 0 else { break }
            count += Int(got)
        }
        guard count <= largest else { return fault(path, "It is longer than 1 MiB.") }
        let text = PolicyText(bytes[..<count])
        if let (line, column, message) = text.fault {
            return ([], [PolicyDiagnostic(file: path, line: line, column: column, message: message)])
        }
        let parser = PolicyParser(text.text, file: path)
        return (parser.rules, parser.diagnostics)
    }

    private static func fault(_ path: String, _ message: String) -> ([PolicyRule], [PolicyDiagnostic]) {
        ([], [PolicyDiagnostic(file: path, message: message)])
    }
}
