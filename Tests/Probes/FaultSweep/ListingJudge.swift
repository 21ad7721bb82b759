import CMedia
import CaptureGate
import Glibc

/// Judges whether a listing has everything that a fault did not affect, and reports what it lacks.
struct ListingJudge {
    let whole: DeviceInventory
    let fault: PlannedFault

    func complaint(about inventory: DeviceInventory) -> String? {
        if fault.span == CM_FAULTS_ONCE, inventory.faults.count > 1 { return "one fault is told of several times" }
        let known = Set(whole.devices.map(\.id))
        if let other = inventory.devices.first(where: { !known.contains($0.id) }) { return "\(other.id) is new" }
        let found = Dictionary(uniqueKeysWithValues: inventory.devices.map { ($0.id, $0) })
        return whole.devices.lazy.compactMap { complaint(about: found[$0.id], once: $0, inventory.faults) }.first
    }

    private func complaint(about now: Device?, once: Device, _ faults: [DeviceInventory.Fault]) -> String? {
        guard let now else {
            let isTold = faults.contains { $0.device == nil && $0.capability == once.capability }
            return isTold ? nil : "\(once.id) is missing, and nothing is said"
        }
        if now == once { return nil }
        let isOtherwise =
            (now.name, now.availability, now.ambiguity) != (once.name, once.availability, once.ambiguity)
            || now.nodes != once.nodes
        if isOtherwise { return "\(once.id) is not what it was" }
        let isTold = faults.contains { $0.device == once.id }
        return isTold || endsList ? nil : "\(once.id) lacks formats, and nothing is said"
    }

    /// That is how a device says that a list is over, and that it has not got a format.
    private var endsList: Bool {
        (fault.call.hasPrefix("VIDIOC_ENUM") || fault.call == "VIDIOC_G_INPUT")
            && [EINVAL, ENOTTY].contains(fault.error)
            || fault.call == "snd_pcm_hw_params_test_format"
    }
}
