import CSystem

/// Reads the small text files of /proc and /sys.
enum SmallFile {
    /// - Returns: at most `limit` bytes as text, without the last line feed; `nil` where the file can't be read.
    static func text(_ path: String, limit: Int = 65_536) -> String? {
        bytes(path, limit: limit).map { bytes in
            let end = bytes.last == 0x0A ? bytes.count - 1 : bytes.count
            return String(decoding: bytes[..<end], as: UTF8.self)
        }
    }

    /// - Returns: at most `limit` bytes; `nil` where the file can't be read.
    static func bytes(_ path: String, limit: Int = 65_536) -> [UInt8]? {
        let file = cs_open(path, readOnly, 0)
        guard file >= 0 else { return nil }
        defer { cs_close(file) }
        // Most are short, and the size that the kernel says of them is 0. Room that is not needed would cost page faults.
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit {
            let got = cs_read(file, &piece, min(piece.count, limit - bytes.count))
            if got < 0 { return nil }
            if got == 0 { break }
            bytes += piece[..<Int(got)]
        }
        return bytes
    }

    /// Names in a folder; empty where it can't be read.
    static func names(in folder: String) -> [String] {
        var directory: UnsafeMutableRawPointer?
        guard cs_directory_open(folder, &directory) >= 0 else { return [] }
        defer { cs_directory_close(directory) }
        var names: [String] = []
        var entry = cs_directory_entry()
        while cs_directory_next(directory, &entry) == 1 {
            let name = withUnsafeBytes(of: entry.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Where a symbolic link points; `nil` where it can't be read.
    static func link(_ path: String) -> String? {
        var target = [CChar](repeating: 0, count: 4096)
        let length = cs_readlink(path, &target, target.count)
        guard length >= 0 else { return nil }
        return String(decoding: target[..<Int(length)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static let readOnly: Int32 = 0
}
