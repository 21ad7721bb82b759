import FoundationEssentials
import Glibc

/// A separate directory for a test, with a home and a grant store in it; removed afterwards.
final class Workspace: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/capturegate-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure("no temporary folder could be made") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The machine's own settings have no effect.
    var environment: [String: String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return ["PATH": path, "HOME": self.path, "XDG_STATE_HOME": self.path + "/state", "LC_ALL": "C.UTF-8"]
    }

    var store: String { path + "/state/capturegate" }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

    func file(_ name: String) -> String { path + "/" + name }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: file(name)))
    }

    func text(_ name: String) throws -> String { try Self.text(at: file(name)) }

    static func text(at path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    func size(_ name: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file(name))[.size] as? Int) ?? -1
    }
}

/// Why a fixture could not do its part.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
