import CaptureGate
import LinuxSystem

/// Small file that is there as a whole or not at all, whoever reads it and whenever the machine stops.
struct WholeFile {
    /// Absolute path, or one in the working directory.
    let path: String
    /// Permission bits, less the process's umask.
    var mode: UInt32 = 0o644

    /// Writes the text beside the path, then gives it the name, in place of a file that has it.
    ///
    /// - Parameters:
    ///   - isNew: true if a file of that name must be left alone.
    ///   - isLasting: true if it must survive a power cut; without it the disk is not waited for.
    /// - Throws: `.fileExists` for a new file whose name is taken; `.inputOutput`.
    func write(_ text: String, isNew: Bool = false, isLasting: Bool = true) throws(CaptureError) {
        try write(Array(text.utf8), isNew: isNew, isLasting: isLasting)
    }

    /// The same of bytes.
    func write(_ bytes: [UInt8], isNew: Bool = false, isLasting: Bool = true) throws(CaptureError) {
        let beside = "\(path).\(ProcessStart.processID)~"
        do throws(Errno) {
            // One that a killed process of the same number left behind.
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

    /// Not every file system can rename without replacing; all that have links can do it in two steps.
    private static func name(_ file: String, _ path: String) throws(Errno) {
        do throws(Errno) {
            try FileSystem.renameWithoutReplacing(file, to: path)
        } catch  where error == .invalidArgument {
            try FileSystem.link(file, as: path)
            try FileSystem.remove(file)
        }
    }

    /// Makes the folder of a path, and those above it that are not there.
    ///
    /// - Returns: folders that were made, the deepest last.
    static func makeFolder(_ path: String, mode: UInt32 = 0o755) throws(CaptureError) -> [String] {
        if case .success(let status) = FileStatus.of(path), status.kind == .directory { return [] }
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        let above = parent.isEmpty ? [] : try makeFolder("/" + parent, mode: mode)
        do throws(Errno) {
            try FileSystem.makeDirectory(path, mode: mode)
        } catch  where error == .fileExists {
            // Somebody else was quicker; what stands there is found to be no folder by whoever writes into it.
            return above
        } catch {
            throw .unwritten(path, error)
        }
        return above + [path]
    }
}

extension CaptureError {
    /// Error for a file or a folder that could not be made, changed or taken away.
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
