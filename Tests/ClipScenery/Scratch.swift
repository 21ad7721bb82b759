import Foundation

/// A directory for one test, removed with it.
package final class Scratch: Sendable {
    package let folder: String

    /// - Parameter inMemory: for tests that must not wait for a disk.
    package init(inMemory: Bool = false) throws {
        let place = inMemory ? "/dev/shm" : FileManager.default.temporaryDirectory.path
        folder = place + "/capturegate-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    package func path(_ name: String = UUID().uuidString) -> String { folder + "/" + name }

    package var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    package func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    }

    package static func read(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}
