import CSystem
import CaptureGate

extension ClipOutput {
    /// Makes it durable and gives it its name; later, where it has a queue for that.
    /// - Throws: as `OutputFinish.run()`.
    mutating func finish() throws(CaptureError) {
        guard case .file(let path) = destination, let file, descriptor >= 0 else { return }
        let last = OutputFinish(file: file, length: bytesWritten, path: path, replacing: replacing, sync: sync)
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
        guard let file, descriptor >= 0 else { return }
        file.remove()
        Self.close(file, sync)
        descriptor = -1
    }

    /// Without waiting for a disk that is behind.
    static func close(_ file: PartialFile, _ sync: DiskSync?) {
        file.steps.reached(.close)
        if let sync { sync.close() } else { _ = cs_close(file.descriptor) }
    }

    static func quoted(_ path: String) -> String {
        "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
