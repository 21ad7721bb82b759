import CaptureBase
import LinuxSystem

/// Interrupted recording, read in pieces; no content is trusted.
///
/// *session-bound*
final class RecoverySource {
    let path: String
    let size: Int64
    private let file: FileDescriptor
    /// Identity of the opened file, which a name may no longer lead to.
    private let status: FileStatus

    /// Opens a file and takes the lock that a recorder holds.
    /// - Throws: `.badInput` for anything but a regular file, `.busy` while it is being recorded,
    ///   `.inputOutput`.
    init(_ path: String) throws(CaptureError) {
        self.path = path
        do throws(Errno) {
            file = try FileDescriptor(opening: path, [.noFollow, .nonBlocking])
        } catch {
            throw Self.cannotOpen(path, error)
        }
        guard case .success(let status) = FileStatus.of(file), status.kind == .file else {
            throw CaptureError(.badInput, "\(path) is not a regular file.")
        }
        self.status = status
        size = status.size
        do throws(Errno) {
            try FileLock.take(file, patience: Self.patience)
        } catch {
            // A file system without locks tells nothing.
            if error == .notSupported || error == .noFunction { return }
            throw CaptureError(
                .busy, "\(path) is being recorded.", errno: error.number,
                remedies: [Remedy("Wait until the recording has ended.")])
        }
    }

    /// Longest wait for the lock: a killed writer, and a program that it was just starting, keep files open for a moment.
    private static let patience = Duration.seconds(1)

    /// Tells that a name still leads to the file that is being read.
    func isStill(at path: String) -> Bool {
        (try? FileStatus.ofLink(path).get().isSameFile(as: status)) ?? false
    }

    /// A missing file has a specific remedy.
    private static func cannotOpen(_ path: String, _ code: Errno) -> CaptureError {
        code == .noSuchFileOrDirectory
            ? CaptureError(
                .badInput, "\(path) does not exist.", errno: code.number,
                remedies: [Remedy("Name the file that ends in .partial.", command: "ls *.partial")])
            : .output(code, "open", path)
    }

    /// Reads a range.
    /// - Parameters:
    ///   - offset: offset in the file.
    ///   - count: number of bytes to read.
    /// - Returns: this number of bytes, or fewer at the file's end.
    func read(at offset: Int64, _ count: Int) throws(CaptureError) -> [UInt8] {
        let wanted = Int(min(Int64(max(count, 0)), max(size - offset, 0)))
        guard wanted > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: wanted)
        var done = 0
        while done < wanted {
            do throws(Errno) {
                let count = try file.read(into: &bytes, from: done, at: offset + Int64(done))
                if count == 0 { break }
                done += count
            } catch {
                throw .output(error, "read", path)
            }
        }
        if done < wanted { bytes.removeLast(wanted - done) }
        return bytes
    }

    /// Copies a range into the clip, a piece at a time.
    func copy(
        from offset: Int64, _ count: Int64, to output: inout ClipOutput
    ) throws(CaptureError) {
        var at = offset
        while at < offset + count {
            let bytes = try read(at: at, Int(min(offset + count - at, Self.pieceBytes)))
            guard !bytes.isEmpty else { return }
            try output.write(bytes)
            at += Int64(bytes.count)
        }
    }

    /// Bytes read at once at most.
    static let pieceBytes: Int64 = 1 << 20

    /// Finds the next occurrence of a pattern.
    /// - Parameters:
    ///   - pattern: bytes to search for.
    ///   - start: offset to begin at.
    ///   - limit: offset before which it must end.
    /// - Returns: its offset; `nil` if none exists.
    func find(_ pattern: [UInt8], from start: Int64, before limit: Int64) throws(CaptureError) -> Int64? {
        var at = max(start, 0)
        let limit = min(limit, size)
        // The next occurrence is mostly near, so the first read is small.
        var piece: Int64 = 4096
        while at < limit {
            let bytes = try read(at: at, Int(min(piece, limit - at)))
            piece = min(4 * piece, Self.pieceBytes)
            guard bytes.count >= pattern.count else { return nil }
            if let index = Self.index(of: pattern, in: bytes) { return at + Int64(index) }
            // A pattern may lie across two pieces.
            at += Int64(bytes.count - pattern.count + 1)
        }
        return nil
    }

    /// Index of a pattern in bytes.
    private static func index(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
        guard let first = pattern.first else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            (0...bytes.count - pattern.count).first { start in
                bytes[start] == first && pattern.indices.allSatisfy { bytes[start + $0] == pattern[$0] }
            }
        }
    }

    /// Error of a file of which nothing can be recovered.
    func broken(_ what: String) -> CaptureError {
        CaptureError(
            .badInput, "\(path) can't be recovered: \(what).",
            remedies: [Remedy("The file was not changed. Try another recovery program.")])
    }
}
