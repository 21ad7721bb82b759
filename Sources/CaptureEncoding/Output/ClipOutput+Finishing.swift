import CSystem
import CaptureGate

extension ClipOutput {
    /// Makes it durable and gives it its name; later, where it has a queue for that.
    /// - Throws: as `OutputFinish.run()`.
    mutating func finish() throws(CaptureError) {
        guard case .file(let path) = destination, descriptor >= 0 else { return }
        let last = OutputFinish(descriptor: descriptor, path: path, suffix: suffix, replacing: replacing)
        if let finishing {
            finishing.add(last)
        } else {
            try last.run()
            last.close()
        }
        descriptor = -1
    }

    /// Removes what was written.
    mutating func discard() {
        guard case .file(let path) = destination, descriptor >= 0 else { return }
        _ = cs_unlink(path + suffix)
        _ = cs_close(descriptor)
        descriptor = -1
    }

    static func quoted(_ path: String) -> String {
        "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
