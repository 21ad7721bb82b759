import CaptureGate
import Dispatch

/// The cameras and microphones of this machine that are offered, as they come and go.
package enum OfferedDevices {
    /// Lists of devices: the first one now, then one after each change.
    ///
    /// A device is asked once what it can do, when it comes. One that does not answer is not in a list.
    ///
    /// - Parameters:
    ///   - choice: picks out of a listing what is to be offered.
    ///   - onFailure: is told of a device that does not say what it can do.
    package static func changes(
        choosing choice: @escaping @Sendable ([Device]) -> [Device],
        onFailure: @escaping @Sendable (CaptureError) -> Void
    ) -> AsyncStream<[OfferedDevice]> {
        let (lists, continuation) = AsyncStream.makeStream(of: [OfferedDevice].self)
        // Devices are asked on a thread of their own: that may take seconds.
        let queue = DispatchQueue(label: "capturegate.pipewire.devices", qos: .userInitiated)
        let known = Locked<[DeviceID: OfferedDevice]>([:])
        let look: @Sendable () -> Void = {
            let list = choice(DeviceCatalog.scan(.identity)).compactMap { device -> OfferedDevice? in
                if let offer = known.withLock({ $0[device.id] }) { return offer }
                return offered(device, onFailure)
            }
            known.withLock { $0 = Dictionary(uniqueKeysWithValues: list.map { ($0.device.id, $0) }) }
            continuation.yield(list)
        }
        let task = Task {
            queue.async(execute: look)
            for await event in DeviceMonitor() {
                if case .changed = event.change { continue }
                queue.async(execute: look)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return lists
    }

    private static func offered(
        _ device: Device, _ onFailure: @Sendable (CaptureError) -> Void
    ) -> OfferedDevice? {
        do throws(CaptureError) {
            return try OfferedDevice(device)
        } catch {
            onFailure(error)
            return nil
        }
    }
}
