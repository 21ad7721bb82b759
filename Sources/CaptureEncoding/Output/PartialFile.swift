import CSystem
import CaptureGate

/// The file that becomes a clip. It is known by its inode: its name may be given to another file at any moment, and only
/// what was made here is ever renamed or removed.
///
/// *thread-safe*
struct PartialFile: Sendable {
    let descriptor: Int32
    /// What it is called until it is finished.
    let path: String
    let steps: OutputSteps
    private let device: UInt64
    private let inode: UInt64

    init(_ descriptor: Int32, _ path: String, _ status: cs_file_status, _ steps: OutputSteps) {
        self.descriptor = descriptor
        self.path = path
        self.steps = steps
        device = status.device
        inode = status.inode
    }

    /// Whether a name is this file's.
    func isNamed(_ path: String) -> Bool {
        var named = cs_file_status()
        guard cs_lstat(path, &named) >= 0 else { return false }
        return named.inode == inode && named.device == device
    }

    /// Takes its name away, where that is still its own.
    func remove() {
        steps.reached(.remove)
        if isNamed(path) { _ = cs_unlink(path) }
    }

    /// Whether another program has taken away from what was written: shortened it, or removed it.
    /// - Parameter length: bytes that were written.
    func loss(ofWritten length: Int64) -> CaptureError? {
        var own = cs_file_status()
        let result = cs_fstat(descriptor, &own)
        guard result >= 0 else { return .output(-result, "look at", path) }
        if own.links == 0, !isNamed(path) { return removed }
        return own.size < length ? cut(to: own.size, of: length) : nil
    }

    /// Why it can't become the clip; `nil` where it is whole and under its name.
    /// - Parameter length: bytes that were written.
    func trouble(withWritten length: Int64) -> CaptureError? {
        if let loss = loss(ofWritten: length) { return loss }
        var named = cs_file_status()
        switch cs_lstat(path, &named) {
        case 0...: return named.inode == inode && named.device == device ? nil : moved
        case -ENOENT, -ENOTDIR: return moved
        // What keeps it from being looked at keeps it from being renamed, and is told then.
        default: return nil
        }
    }

    private func cut(to size: Int64, of length: Int64) -> CaptureError {
        CaptureError(
            .inputOutput,
            "\(path) was cut to \(size) of \(length) bytes by another program while it was recorded.",
            remedies: [
                Remedy("Record again, and leave the .partial alone until the end."),
                Remedy("Or see what is left.", command: "capturegate recover \(ClipOutput.quoted(path))"),
            ])
    }

    private var removed: CaptureError {
        CaptureError(
            .inputOutput, "\(path) was removed while it was recorded, and what was recorded is gone with it.",
            remedies: [Remedy("Record again, and leave the .partial and its folder alone until the end.")])
    }

    /// That its name is no longer its own, and where it is.
    var moved: CaptureError {
        let place = currentPlace
        return CaptureError(
            .inputOutput,
            "\(path) was moved while it was recorded; the recording is whole, in \(place ?? "the file it became").",
            remedies: [
                place.map { Remedy("Rename it.", command: "mv -n \(ClipOutput.quoted($0)) OTHER-NAME") }
                    ?? Remedy("Rename it.")
            ])
    }

    /// Where it is now, as far as the kernel tells.
    private var currentPlace: String? { ClipOutput.target(ofLink: "/proc/self/fd/\(descriptor)") }
}
