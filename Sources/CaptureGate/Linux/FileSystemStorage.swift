import Dispatch
import Gate
import LinuxSystem

/// Looks at a folder through the file system: stat(2), faccessat(2) with the effective ids, statvfs(3). Writes nothing.
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
        // A folder on the way lets this user not even look.
        case .failure(.permissionDenied): return .directory(isWritable: false, freeBytes: 0)
        case .failure: return .absent
        }
        // What makes a file there needs: to write the folder and to search it.
        let isWritable = FileSystem.allows([.write, .execute], to: folder)
        return .directory(isWritable: isWritable, freeBytes: (try? FileSystem.freeBytes(at: folder)) ?? 0)
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
