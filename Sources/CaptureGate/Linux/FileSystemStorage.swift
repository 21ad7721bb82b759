import CSystem
import Dispatch
import Gate

/// Looks at a folder through the file system: stat(2), faccessat(2) with the effective ids, statvfs(3). Writes nothing.
///
/// *thread-safe*
public struct FileSystemStorage: StorageInspector {
    /// A file system of the network whose server is gone makes its callers wait for ever: it counts as absent.
    private static let queue = DispatchQueue(label: "capturegate.storage", attributes: .concurrent)

    public init() {}

    public func inspect(_ folder: String) async -> StorageState {
        await FirstAnswer.of(
            { Self.state(of: folder) }, on: Self.queue, within: .seconds(10), late: .absent, cancelled: .absent)
    }

    private static func state(of folder: String) -> StorageState {
        // The kernel would read the path only up to a NUL.
        guard !folder.isEmpty, !folder.utf8.contains(0) else { return .absent }
        var status = cs_file_status()
        switch cs_stat(folder, &status) {
        case 0...: break
        // A folder on the way lets this user not even look.
        case -EACCES: return .directory(isWritable: false, freeBytes: 0)
        case -ENOTDIR: return .notDirectory
        default: return .absent
        }
        guard status.mode & UInt32(CS_MODE_KIND) == UInt32(CS_MODE_DIRECTORY) else { return .notDirectory }
        // What makes a file there needs: to write the folder and to search it.
        let isWritable = cs_access(folder, W_OK | X_OK) == 0
        return .directory(isWritable: isWritable, freeBytes: max(0, cs_free_bytes(folder)))
    }
}

extension Capability.Storage {
    /// The place where clips go, looked at by `FileSystemStorage`.
    ///
    /// - Parameters:
    ///   - folder: absolute, or relative to the working folder.
    ///   - freeBytes: the room that is needed.
    public init(_ folder: String, freeBytes: Int64 = 0) {
        self.init(folder, freeBytes: freeBytes, by: FileSystemStorage())
    }
}
