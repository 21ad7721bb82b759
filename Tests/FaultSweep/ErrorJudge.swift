import CaptureGate

/// Whether an error says which call failed on which device, and what to do.
struct ErrorJudge {
    let fault: PlannedFault
    let device: String

    func complaint(about error: CaptureError) -> String? {
        let texts = [error.message] + error.underlying.map(\.message)
        if !texts.contains(where: { $0.contains(device) }) { return "the device is not named" }
        if error.remedies.isEmpty, error.underlying.allSatisfy(\.remedies.isEmpty) { return "nothing to do is said" }
        if mustNameCall(error), !texts.contains(where: names) { return "the call is not named" }
        return nil
    }

    /// Where nothing failed there is no call to name: what stalls was merely silent; what a listing does not find is not
    /// there.
    private func mustNameCall(_ error: CaptureError) -> Bool {
        guard fault.namesItself else { return false }
        switch error.kind {
        case .stalled: return false
        case .noDevice: return !fault.call.hasPrefix("udev_")
        default: return true
        }
    }

    /// Setting software parameters is one call to the user, and several to libasound.
    private func names(_ text: String) -> Bool {
        text.contains(fault.call) || reported.contains { text.contains($0) }
    }

    private var reported: [String] {
        if fault.call.hasPrefix("snd_pcm_sw_params") { return ["snd_pcm_sw_params"] }
        if fault.call.hasPrefix("snd_pcm_hw_params") { return ["snd_pcm_hw_params"] }
        if fault.call.hasPrefix("snd_pcm_poll_descriptors") { return ["snd_pcm_poll_descriptors", "poll"] }
        return fault.call == "ftruncate" ? ["memfd_create"] : []
    }
}
