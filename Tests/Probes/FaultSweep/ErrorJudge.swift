import CaptureGate
import Glibc

/// Whether an error says which call failed on which device, and what to do.
struct ErrorJudge {
    let fault: PlannedFault
    /// Of which one must be in it.
    let devices: [String]
    /// Those that the work makes.
    let calls: [String]

    func complaint(about error: CaptureError) -> String? {
        // A menu query that fails means an item that the device leaves out: a value is refused, and no call failed.
        if fault.call == "VIDIOC_QUERYMENU", fault.error == EINVAL, error.kind == .usage { return nil }
        // Likewise, a query of an input that fails means the end of the list of inputs.
        if fault.call == "VIDIOC_ENUMINPUT", fault.error == EINVAL || fault.error == ENOTTY, error.kind == .notAsAsked {
            return nil
        }
        let texts = [error.message] + error.underlying.map(\.message)
        let isNamed = texts.contains { text in devices.contains { text.contains($0) } }
        if !isNamed { return "the device is not named" }
        if error.remedies.isEmpty, error.underlying.allSatisfy(\.remedies.isEmpty) { return "nothing to do is said" }
        if mustNameCall(error), !texts.contains(where: names) { return "the call is not named" }
        return nil
    }

    /// If nothing failed there is no call to name: a stalled device was merely silent; a device that a listing does not find does
    /// not exist.
    private func mustNameCall(_ error: CaptureError) -> Bool {
        switch error.kind {
        case .stalled: return false
        // A frame that libv4lconvert can't read is a broken frame, like one that arrived broken.
        case .inputOutput: return fault.call != "v4lconvert_convert"
        case .noDevice: return !fault.call.hasPrefix("udev_")
        default: return true
        }
    }

    /// If everything fails, the last failure ended it. Setting software parameters is one call to the user, and several to
    /// libasound.
    private func names(_ text: String) -> Bool {
        let likely = fault.namesItself ? [fault.call] : calls
        return likely.contains { text.contains($0) } || reported.contains { text.contains($0) }
    }

    private var reported: [String] {
        if fault.call.hasPrefix("snd_pcm_sw_params") { return ["snd_pcm_sw_params"] }
        if fault.call.hasPrefix("snd_pcm_hw_params") { return ["snd_pcm_hw_params"] }
        if fault.call == "snd_ctl_elem_list_alloc_space" { return ["snd_ctl_elem_list"] }
        if fault.call.hasPrefix("snd_pcm_poll_descriptors") { return ["snd_pcm_poll_descriptors", "poll"] }
        return fault.call == "ftruncate" ? ["memfd_create"] : []
    }
}
