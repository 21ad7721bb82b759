import Foundation

/// A separate directory for one test, removed with it.
final class TemporaryFolder: Sendable {
    let path: String

    /// - Parameter isInMemory: where the machine has a file system for that.
    init(inMemory isInMemory: Bool = false) throws {
        let memory = isInMemory && FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : nil
        let base = memory ?? FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        path = "\(base)/capturegate-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file by rename, as editors do, so that nobody sees half of it.
    @discardableResult
    func write(_ text: String, to name: String, mode: Int = 0o644) throws -> String {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
        try setMode(mode, of: name)
        return file
    }

    func write(bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    /// Overwrites a file in its place: the inode stays, and often the time stamp, too.
    func overwrite(_ text: String, in name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }

    func setMode(_ mode: Int, of name: String = "") throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(path)/\(name)")
    }

    func mode(of name: String = "") throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.posixPermissions] as? Int
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }
}
