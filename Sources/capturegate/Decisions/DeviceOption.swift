import ArgumentParser
import CaptureGate

/// Which device a decision is about.
struct DeviceOption: ParsableArguments {
    @Option(
        name: .customLong("device"),
        help: ArgumentHelp(
            "One device alone: an id, or a part of its name that no other device has; any device where it is not said.",
            valueName: "id"), completion: DeviceCompletion.any)
    var text: String?

    /// - Parameter capability: what the device must be.
    /// - Throws: `.noDevice` where no device that is there fits and the text is no id.
    func selector(_ capability: CapabilityName) throws(CaptureError) -> DeviceSelector {
        guard let text else { return .any }
        let devices = DeviceCatalog.scan(.identity)
        if let other = devices.first(where: { $0.id.rawValue == text && $0.capability != capability }) {
            throw CaptureError(
                .noDevice, "\(text) is a \(other.capability), not a \(capability).",
                remedies: [Remedy("See which devices there are.", command: "capturegate devices")])
        }
        do throws(CaptureError) {
            return .id(try DeviceQuery(text).pick(from: devices, capability).id)
        } catch {
            // An id of a device that is not plugged in now may be decided about; it begins with what the device is.
            // No id has a character in it that moves a cursor.
            let prefix = "\(capability):"
            guard text.hasPrefix(prefix), text.count > prefix.count, text == text.visible else { throw error }
            return .id(DeviceID(rawValue: text))
        }
    }
}
