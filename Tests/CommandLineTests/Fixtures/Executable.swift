import FoundationEssentials
import Glibc

/// The program under test: CAPTUREGATE_BIN/capturegate, or by default the one built beside the tests.
enum Executable {
    static let capturegate: String = {
        if let folder = ProcessInfo.processInfo.environment["CAPTUREGATE_BIN"] { return folder + "/capturegate" }
        var path = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &path, path.count)
        let own = String(decoding: path[..<max(0, length)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let tests = CommandLine.arguments.first { $0.contains(".xctest") } ?? own
        return tests.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/capturegate"
    }()
}
