import CaptureGate
import LinuxSystem

/// Small file that is written atomically: readers never see a part
/// of it, and a power cut leaves the old file or the new one.
struct WholeFile {
    /// Absolute path, or one in the working directory.
    let path: String
    /// Permission bits, less the process's umask.
    var mode: UInt32 = 0o644

    /// Writes a temporary file beside the path, then renames it to the path, replacing an existing file.
    ///
    /// - Parameters:
    ///   - isNew: true to fail instead of replacing an existing file.
    ///   - isLasting: true to wait until the disk has stored the file, so that it survives a power cut.
    /// - Throws: `.fileExists` if `isNew` is true and the name is taken; `.inputOutput`.
    func write(_ text: String, isNew: Bool = false, isLasting: Bool = true) throws(CaptureError) {
        try write(Array(text.utf8), isNew: isNew, isLasting: isLasting)
    }

    /// Writes bytes in the same way.
    func write(_ bytes: [UInt8], isNew: Bool = false, isLasting: Bool = true) throws(CaptureError) {
        let beside = "\(path).\(ProcessStart.processID)~"
        do throws(Errno) {
            // A killed process with the same id can have left one behind.
            try? FileSystem.remove(beside)
            let file = try FileDescriptor(opening: beside, [.writeOnly, .create, .exclusive, .noFollow], mode: mode)
            try Self.write(bytes[...], to: file)
            if isLasting { try file.sync() }
            if isNew {
                try Self.name(beside, path)
            } else {
                try FileSystem.rename(beside, to: path)
            }
        } catch {
            try? FileSystem.remove(beside)
            throw .unwritten(path, error)
        }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to file: borrowing FileDescriptor) throws(Errno) {
        var rest = bytes
        while !rest.isEmpty { rest = rest.dropFirst(try file.write(Array(rest))) }
    }

    /// Renames without replacing. Not every file system supports
    /// this; all that have hard links can do it in two steps.
    private static func name(_ file: String, _ path: String) throws(Errno) {
        do throws(Errno) {
            try FileSystem.renameWithoutReplacing(file, to: path)
        } catch  where error == .invalidArgument {
            try FileSystem.link(file, as: path)
            try FileSystem.remove(file)
        }
    }

    /// Creates the directory of a path, with its missing parents.
    ///
    /// - Returns: directories that were created, the deepest last.
    static func makeFolder(_ path: String, mode: UInt32 = 0o755) throws(CaptureError) -> [String] {
        if case .success(let status) = FileStatus.of(path), status.kind == .directory { return [] }
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        let above = parent.isEmpty ? [] : try makeFolder("/" + parent, mode: mode)
        do throws(Errno) {
            try FileSystem.makeDirectory(path, mode: mode)
        } catch  where error == .fileExists {
            // Another process was faster. If the path is not a directory, the next write there fails.
            return above
        } catch {
            throw .unwritten(path, error)
        }
        return above + [path]
    }
}

extension CaptureError {
    /// Error for a file or directory that could not be created, changed or removed.
    static func unwritten(_ path: String, _ errno: Errno) -> CaptureError {
        if errno == .fileExists {
            return CaptureError(
                .fileExists, "\(path.visible) exists already, and capturegate did not create it.",
                errno: errno.number, remedies: [Remedy("Move it away, then try again.")])
        }
        return CaptureError(
            .inputOutput, "\(path.visible) can't be written: \(errno.text).", errno: errno.number,
            remedies: [Remedy("Check that its directory is writable for this user and its disk is not full.")])
    }
}
