import CaptureGate
import CaptureRecording
import LinuxSystem

/// Files of a run: whole ones, that appear under their name when they are complete.
///
/// *thread-safe*
package enum RigFiles {
    /// Writes a file, replacing one of that name; creates its directory if that is missing.
    ///
    /// - Throws: `.inputOutput` and other errors of the file system, with the path in the message; no partly written file stays
    ///   behind.
    package static func write(_ bytes: [UInt8], to path: String) throws(CaptureError) {
        try makeDirectory(ClipOutput.folder(of: path))
        var output = try ClipOutput(opening: .file(path: path), replacing: true)
        try output.finish(with: bytes)
    }

    /// Makes a directory and those above it; one that is there stays.
    package static func makeDirectory(_ path: String) throws(CaptureError) {
        if case .success(let status) = FileStatus.of(path), status.kind == .directory { return }
        let parent = ClipOutput.folder(of: path)
        if parent != path { try makeDirectory(parent) }
        do throws(Errno) {
            try FileSystem.makeDirectory(path, mode: 0o755)
        } catch {
            // Another check of a parallel group may have made it.
            if case .success(let status) = FileStatus.of(path), status.kind == .directory { return }
            throw CaptureError(
                .inputOutput, "The directory \(path) can't be created: \(error.text).", errno: error.number,
                remedies: [Remedy("Choose another directory.")])
        }
    }
}

/// Golden files of a plan: what a device was seen to be, to which later runs compare it.
///
/// They are written where the run accepts new ones, and never otherwise.
///
/// *thread-safe*
package struct GoldenFiles: Sendable {
    /// Absolute.
    package let directory: String
    /// True for a run that writes what it finds, `--accept`.
    package let accepts: Bool

    /// Maximum size of a golden file, in bytes: more than a 4K image in a losslessly compressed format.
    private static let limit = 64 << 20

    package init(_ directory: String, accepts: Bool) {
        self.directory = directory
        self.accepts = accepts
    }

    /// Bytes of the golden file of a check. A run that accepts results writes them to the file first.
    ///
    /// - Parameters:
    ///   - planned: names the file, the same for all repeats.
    ///   - ending: ending of the file, without a full stop: `txt`.
    ///   - found: result to write in a run that accepts results.
    /// - Throws: `.badInput` if none exists, or if it can't be read: the check can't judge then.
    package func bytes(
        for planned: PlannedCheck, _ ending: String, found: [UInt8]
    ) throws(CaptureError) -> [UInt8] {
        let path = "\(directory)/\(planned.nameOfAllRepeats).\(ending)"
        if accepts {
            try RigFiles.write(found, to: path)
            return found
        }
        if let bytes = ProcessFile.bytes(path, limit: Self.limit) { return bytes }
        throw CaptureError(
            .badInput, "The golden file \(path) does not exist.",
            remedies: [Remedy("Check the device's output, then run the plan with --accept.")])
    }
}

/// Directory of the files that show what a check has found, such as frames that failed.
///
/// *thread-safe*
package struct EvidenceFolder: Sendable {
    /// The report's directory; `nil` if nothing is kept.
    package let directory: String?

    package init(_ directory: String?) { self.directory = directory }

    /// Keeps a file.
    ///
    /// - Parameters:
    ///   - name: name of the file, which begins with the check's own name.
    ///   - caption: one line for people.
    /// - Returns: `nil` if nothing is kept, or if it can't be written: evidence does not affect the verdict.
    package func keep(_ bytes: [UInt8], as name: String, _ caption: String) -> Evidence? {
        guard let directory else { return nil }
        let file = "evidence/\(name)"
        guard (try? RigFiles.write(bytes, to: "\(directory)/\(file)")) != nil else { return nil }
        return Evidence(file: file, caption: caption)
    }
}
