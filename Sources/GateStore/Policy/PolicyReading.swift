import Gate
import LinuxSystem

/// The rules of a directory as read at one moment.
struct PolicyReading: Sendable {
    let folder: PolicyListing
    let rules: [PolicyRule]
    let diagnostics: [PolicyDiagnostic]
    /// True if the directory was there before, and is now gone.
    let hasVanished: Bool
    private let readAt: Int64
    /// Largest size of all files together.
    private static let mostBytes: Int64 = 1 << 20

    /// Reads all files of a listing, in its order. A mistake in one file does not stop the others from being read.
    init(of folder: PolicyListing, at path: String, wasThere: Bool) {
        self.folder = folder
        readAt = SystemClock.realtime.now
        hasVanished = wasThere && folder.status == nil
        var rules: [PolicyRule] = []
        var diagnostics = folder.diagnostics
        let bytes = folder.files.reduce(0) { $0 + min($1.status.size, Self.mostBytes) }
        if bytes > Self.mostBytes {
            diagnostics.append(PolicyDiagnostic(file: path, message: "The files together are larger than 1 MiB."))
        }
        for file in folder.files where bytes <= Self.mostBytes {
            let (read, faults) = PolicyReading.read(file)
            rules += read
            diagnostics += faults
        }
        if hasVanished {
            diagnostics.append(PolicyDiagnostic(file: path, message: "The policy directory was removed."))
        }
        self.rules = rules
        self.diagnostics = diagnostics
    }

    /// True if a file was read so soon after it was written that a second write may have the same timestamp: the kernel uses
    /// the time of its last tick, up to 10 ms old.
    var mayHaveMissedChange: Bool {
        folder.files.contains { $0.status.changedNanoseconds > readAt - 20_000_000 }
    }

    /// Reads one file: its rules, or its mistakes.
    private static func read(_ file: PolicyListing.File) -> ([PolicyRule], [PolicyDiagnostic]) {
        let bytes: [UInt8]
        do throws(PolicyFileFault) {
            bytes = try PolicyFile.bytes(of: file)
        } catch {
            return ([], [PolicyDiagnostic(file: file.path, message: error.message)])
        }
        let text = YAMLText(bytes[...])
        if let (line, column, message) = text.fault {
            return ([], [PolicyDiagnostic(file: file.path, line: line, column: column, message: message)])
        }
        let parser = PolicyParser(text.text, file: file.path)
        return (parser.rules, parser.diagnostics)
    }
}

/// Reason for which a file can't be read, in one sentence.
private struct PolicyFileFault: Error {
    let message: String
}

/// The bytes of one policy file, as left by one writer.
private enum PolicyFile {
    /// Largest size of a file, in bytes: room for more than a thousand rules. A longer file would delay each question.
    private static let largest = 128 << 10

    /// Reads a whole file.
    ///
    /// - Parameter file: the listing's entry. A different file in its place, or one that is being written, is an error.
    static func bytes(of file: PolicyListing.File) throws(PolicyFileFault) -> [UInt8] {
        guard file.status.size <= largest else { throw PolicyFileFault(message: "The file is longer than 128 KiB.") }
        let descriptor: FileDescriptor
        do throws(Errno) {
            descriptor = try FileDescriptor(opening: file.path, [.nonBlocking, .noFollow, .noControllingTerminal])
        } catch {
            throw PolicyFileFault(message: "The file can't be opened: \(error.text).")
        }
        let bytes: [UInt8]
        do throws(Errno) {
            // Reads one byte more than is allowed: the file may have grown since it was listed.
            bytes = try descriptor.readToEnd(limit: largest + 1)
        } catch {
            throw PolicyFileFault(message: "The file can't be read: \(error.text).")
        }
        guard (try? FileStatus.of(descriptor).get()) == file.status else {
            throw PolicyFileFault(
                message: "The file changed while it was read. Write a new file and rename it to this name.")
        }
        guard bytes.count <= largest else { throw PolicyFileFault(message: "The file is longer than 128 KiB.") }
        return bytes
    }
}

/// A mistake in a policy file or in its directory.
package typealias PolicyDiagnostic = YAMLDiagnostic
