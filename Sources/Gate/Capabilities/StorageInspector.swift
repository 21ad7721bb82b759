/// Looks at the place where clips go; implemented where the file system is known.
///
/// *thread-safe*
public protocol StorageInspector: Sendable {
    func inspect(_ directory: String) async -> StorageState
}

/// What was found at a place where clips are to go.
///
/// *thread-safe*
public enum StorageState: Hashable, Sendable {
    case absent
    /// It is there and is no folder.
    case notDirectory
    /// - Parameters:
    ///   - isWritable: for this user.
    ///   - freeBytes: what this user may still use.
    case directory(isWritable: Bool, freeBytes: Int64)
}
