import CSystem
import Gate

/// A call that failed while devices were looked for, so that some of them may not have been found.
struct EnumerationError: Error, Hashable {
    /// As its manual page has it.
    let call: String
    /// Positive, as in errno.h.
    let errno: Int32
    /// Where in /sys the device is that could not be looked at; `nil` where none of its kind could be looked for.
    var path: String?

    /// - Returns: `nil` where `result` is no error.
    init?(_ call: String, _ result: Int32, at path: String? = nil) {
        guard result < 0 else { return nil }
        (self.call, self.errno, self.path) = (call, 0 &- result, path)
    }

    /// libudev gives no object where it has no memory for it, and else always does.
    init(withoutMemory call: String) {
        (self.call, errno) = (call, ENOMEM)
    }

    /// Whether it says no more than that a device went between the list and the look.
    var isDeparture: Bool { path != nil && [ENODEV, ENOENT, ENXIO].contains(errno) }

    /// - Parameter capability: what was looked for.
    func error(_ capability: CapabilityName) -> CaptureError {
        let what =
            path.map { "What \(QuestionText.visible($0)) is can't be told" } ?? "The \(capability)s can't be listed"
        let isShortage = [ENOMEM, EMFILE, ENFILE].contains(errno)
        let advice =
            isShortage
            ? Remedy("End other programs, then list the devices again.", command: "capturegate devices")
            : Remedy("Try again; the kernel's messages may say more.", command: "sudo dmesg")
        return CaptureError(
            isShortage ? .unavailable : .inputOutput, "\(what) (\(call): \(SystemText.error(errno))).", errno: errno,
            remedies: [advice])
    }
}
