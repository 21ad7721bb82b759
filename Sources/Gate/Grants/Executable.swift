/// A program file as it was when it was looked at.
public struct Executable: Hashable, Sendable, Codable {
    public let path: String
    public let inode: UInt64
    /// SHA-256 of the file's bytes, 64 lower-case hexadecimal digits.
    public let sha256: String
    /// What the kernel says of the file and changes whenever its bytes change, so that an unchanged file need not be read
    /// again; `nil` where that can't be relied on.
    public private(set) var stamp: String?

    /// The log does not need the stamp: it says nothing of the bytes.
    private enum CodingKeys: CodingKey {
        case path, inode, sha256
    }

    /// Whether it is the same file with the same bytes; the stamp is no part of that.
    public static func == (one: Executable, other: Executable) -> Bool {
        one.path == other.path && one.inode == other.inode && one.sha256 == other.sha256
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(inode)
        hasher.combine(sha256)
    }

    public init(path: String, inode: UInt64, sha256: String, stamp: String? = nil) {
        self.path = path
        self.inode = inode
        self.sha256 = sha256
        self.stamp = stamp
    }
}
