import Foundation
import GateStore
import LinuxSystem

func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
}

/// The database of a store as one file, without a WAL.
func tableOfOneFile(_ store: SQLiteGrantStore, in folder: TemporaryFolder) throws -> String {
    let copy = folder.path + "/copy.sqlite"
    try openDatabase(in: store.directory).run("VACUUM INTO ?", [.text(copy)])
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
    return copy
}

/// Puts a file in a database's place, as somebody does who restores a backup.
func replace(_ path: String, with file: String) throws {
    for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
    try FileManager.default.moveItem(atPath: file, toPath: path)
}

func rename(_ path: String, to other: String, unlessMissing: Bool = false) throws {
    if unlessMissing, !FileManager.default.fileExists(atPath: path) { return }
    try FileManager.default.moveItem(atPath: path, toPath: other)
}

func makePipe(_ path: String) throws {
    guard mkfifo(path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
}

func makeLink(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
}

func readText(_ path: String) -> String? {
    try? String(contentsOfFile: path, encoding: .utf8)
}

func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}
