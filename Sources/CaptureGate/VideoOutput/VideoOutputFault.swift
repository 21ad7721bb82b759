import CaptureBase
import LinuxSystem

/// Translation of what keeps a node from being an output into errors with words and remedies.
struct VideoOutputFault {
    /// Node, as the person wrote it.
    let path: String

    private var named: String { VisibleText.of(path) }

    /// Checks the file before it is opened: opening another kind of device could have effects.
    ///
    /// - Throws: `.noDevice`, `.notAuthorized`, `.usage`.
    func checkKind() throws(CaptureError) {
        switch FileStatus.of(path) {
        case .failure(let errno): throw error("stat", errno.number)
        case .success(let status):
            guard status.kind == .characterDevice, status.node.parts.major == Self.videoMajor else {
                throw isNoVideoNode
            }
        }
    }

    /// VIDEO_MAJOR of the kernel's include/media/v4l2-dev.h.
    private static let videoMajor: UInt32 = 81

    /// Turns a shim's negative result into an error.
    ///
    /// - Returns: `result` if it is not an error.
    @discardableResult
    func check(_ call: String, _ result: Int32) throws(CaptureError) -> Int32 {
        guard result < 0 else { return result }
        throw error(call, 0 &- result)
    }

    /// - Parameters:
    ///   - call: as its manual page names it.
    ///   - errno: positive.
    func error(_ call: String, _ errno: Int32) -> CaptureError {
        let words = "\(call): \(Errno(errno).text)"
        switch Errno(errno) {
        case .noSuchFileOrDirectory, .notDirectory:
            return CaptureError(.noDevice, "\(named) does not exist.", errno: errno, remedies: Self.outputs)
        case .noSuchDevice, .noSuchAddressOrDevice:
            let kind = call == "open" ? CaptureError.Kind.noDevice : .deviceGone
            return CaptureError(
                kind, "The output \(named) was removed (\(words)).", errno: errno, remedies: Self.outputs)
        case .notPermitted, .permissionDenied: return refused(words, errno)
        case .resourceBusy:
            return CaptureError(
                .busy, "\(named) is in use: another program sends video to it\(holder) (\(words)).", errno: errno,
                remedies: [Remedy("End that program, or choose another output.")] + Self.outputs)
        default:
            return CaptureError(
                .inputOutput, "The output \(named) failed (\(words)).", errno: errno,
                remedies: [Remedy("Try again. See also the kernel's messages.", command: "sudo dmesg")])
        }
    }

    private func refused(_ words: String, _ errno: Int32) -> CaptureError {
        let restriction = NodeAccess.restriction(on: path)
        return CaptureError(
            .notAuthorized, restriction?.reason ?? "\(named) may not be opened (\(words)).", errno: errno,
            remedies: restriction?.remedies ?? [])
    }

    /// Program that has the node open, if it can be seen.
    private var holder: String {
        guard let holder = DeviceHolders.holdings(of: path).first?.holder else { return "" }
        return ", process \(holder.processID)"
    }

    /// Error for a file that is no V4L2 node.
    var isNoVideoNode: CaptureError {
        CaptureError(.usage, "\(named) is not a V4L2 node, so it can't show video.", remedies: Self.outputs)
    }

    /// Error for a node that captures, or has another purpose.
    var takesNothing: CaptureError {
        CaptureError(
            .usage, "\(named) is not a video output. It is the node of a camera or another device.",
            remedies: Self.outputs)
    }

    /// Error for a node of V4L2's multi-planar kind alone.
    var wantsPlanes: CaptureError {
        CaptureError(
            .unavailable,
            "\(named) supports only multi-planar video (V4L2_CAP_VIDEO_OUTPUT_MPLANE), which CaptureGate does not.",
            remedies: Self.outputs)
    }

    /// Error for buffers larger than any frame.
    func claims(_ byteCount: Int) -> CaptureError {
        CaptureError(
            .unavailable, "\(named) claims frames of \(byteCount) bytes, so CaptureGate refuses it.",
            remedies: [Remedy("Choose another size, or another output.")])
    }

    /// Error for a size or a format that the driver makes another of.
    func takes(width: Int, height: Int, _ own: PixelFormat, insteadOf format: VideoFormat) -> CaptureError {
        let asked = "\(format.width)x\(format.height) \(format.pixelFormat)"
        return CaptureError(
            .notAsAsked, "\(named) does not support \(asked). It would change it to \(width)x\(height) \(own).",
            remedies: [
                Remedy("Use that size for the camera: add --size \(width)x\(height)."),
                Remedy(
                    "Or set the output to \(asked) first. A program that reads from the output can keep its format fixed."
                ),
            ])
    }

    /// Remedies that list the existing outputs, or explain how to create one.
    static var outputs: [Remedy] {
        let found = VideoOutputs.all
        guard !found.isEmpty else {
            return [
                Remedy(
                    "This machine has no video output. v4l2loopback adds one.", command: "sudo modprobe v4l2loopback")
            ]
        }
        let list = found.map { "v4l2:\($0.node) (\($0.name))" }.joined(separator: ", ")
        return [Remedy("The video outputs of this machine are \(list).")]
    }
}

/// Search for nodes that accept frames, by udev's information; opens none.
package enum VideoOutputs {
    /// Node and name of each output, by the node's number.
    package static var all: [(node: String, name: String)] {
        var outputs: [(number: Int, node: String, name: String)] = []
        _ = UdevEnumerator.forEach(in: "video4linux", named: "video*") { device in
            let name = device.attribute("name") ?? ""
            guard let node = device.node, takesPictures(device.properties["ID_V4L_CAPABILITIES"], name) else { return }
            outputs.append((Int(node.drop { !$0.isNumber }) ?? 0, node, name))
        }
        return outputs.sorted { $0.number < $1.number }.map { ($0.node, $0.name) }
    }

    /// - Parameters:
    ///   - capabilities: udev's list, such as `:video_output:`; `nil` on machines without udevd, where the name decides.
    ///   - name: of the node.
    static func takesPictures(_ capabilities: String?, _ name: String) -> Bool {
        capabilities.map { $0.contains(":video_output:") } ?? name.lowercased().contains("-out")
    }
}
