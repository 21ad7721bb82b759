import CaptureGate
import Synchronization

/// A listing of all devices with their formats, compared with what it was without a fault.
final class SweptListing: SweptWork {
    private let whole = DeviceCatalog.inventory(.formats)
    private let least: Int
    private let difference = Mutex<String?>(nil)

    init(least: Int) { self.least = least }

    /// A device that can't be examined has no id yet, only its place; if none can, all of its kind are meant.
    var names: [String] { whole.devices.map(\.id.rawValue) + ["/sys/devices/", "cameras", "microphones"] }

    var chance: String? { nil }

    func make(failing fault: PlannedFault) async -> SweptOutcome {
        fault.plan()
        let inventory = DeviceCatalog.inventory(.formats)
        difference.withLock { $0 = ListingJudge(whole: whole, fault: fault).complaint(about: inventory) }
        return inventory.faults.isEmpty ? .done : .partly(inventory.faults.map(\.error))
    }

    func complaint(about outcome: SweptOutcome) -> String? {
        let count = whole.devices.count { !$0.isBuiltIn }
        return count < least ? "there are \(count) real devices" : difference.withLock { $0 }
    }
}
