import Gate
import LinuxSystem

/// Controls of a device that the broker has opened, with one request per control; the broker judges each again.
///
/// *session-bound*
final class BrokerControls: ControlBackend {
    private let link: BrokerLink
    private let choice: DeviceChoice

    init(of device: Device, by link: BrokerLink) {
        self.link = link
        choice = DeviceChoice(device.id, device.capability)
    }

    func controls() throws(DeviceCallError) -> [DeviceControl] { try ask(.controls(choice)) }

    func read(_ control: DeviceControl) throws(DeviceCallError) -> DeviceControl {
        let all = try controls()
        guard let now = all.first(where: { $0.id == control.id }) else {
            throw DeviceCallError(call: "capturegated", errno: Errno.invalidArgument.number)
        }
        return now
    }

    func write(_ value: ControlValue, to control: DeviceControl) throws(DeviceCallError) -> ControlValue {
        let after = try ask(.set(ControlOrder(choice, control.id, value))).first
        // Only the broker knows which number the decibels are.
        if case .decibels = value { return after?.value ?? value }
        return value
    }

    private func ask(_ request: BrokerRequest) throws(DeviceCallError) -> [DeviceControl] {
        do throws(CaptureError) {
            guard case .controls(let lent) = try link.wait(for: request).body else { throw BrokerFault.kind.error }
            return lent.controls
        } catch {
            throw DeviceCallError(told: error)
        }
    }
}
