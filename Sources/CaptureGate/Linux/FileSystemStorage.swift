import Dispatch
import Gate
import LinuxSystem

/// Inspects a directory through the file system: stat(2), faccessat(2) with the effective ids, statvfs(3). Writes nothing.
///
/// *thread-safe*
public struct FileSystemStorage: StorageInspector {
    /// A file system of the network whose server is gone makes its callers wait for ever: it counts as absent.
    private static let queue = DispatchQueue(label: "capturegate.storage", attributes: .concurrent)

    public init() {}

    public func inspect(_ folder: String) async -> StorageState {
        await Race.of(
            { Self.state(of: folder) }, on: Self.queue, within: .seconds(10), late: .absent, cancelled: .absent)
    }

    private static func state(of folder: String) -> StorageState {
        // The kernel would read the path only up to a NUL.
        guard !folder.isEmpty, !folder.utf8.contains(0) else { return .absent }
        switch FileStatus.of(folder) {
        case .success(let status) where status.kind == .directory: break
        case .success, .failure(.notDirectory): return .notDirectory
        // A parent directory can't be searched by this user.
        case .failure(.permissionDenied): return .directory(isWritable: false, freeBytes: 0)
        case .failure: return .absent
        }
        // Creating a file requires the right to write the directory and to search it.
        let isWritable = FileSystem.allows([.write, .execute], to: folder)
        return .directory(isWritable: isWritable, freeBytes: (try? FileSystem.freeBytes(at: folder)) ?? 0)
    }
}

extension Capability.Storage {
    /// The directory of clips, inspected by `FileSystemStorage`.
    ///
    /// - Parameters:
    ///   - folder: absolute, or relative to the working directory.
    ///   - freeBytes: required free space in bytes.
    public init(_ folder: String, freeBytes: Int64 = 0) {
        self.init(folder, freeBytes: freeBytes, by: FileSystemStorage())
    }
}
