import Dispatch
import Gate
import LinuxSystem

/// Process that has a device open, whether it asked this gate or not.
///
/// *thread-safe*
package struct DeviceUse: Hashable, Sendable {
    package let device: DeviceDescription
    package let capability: CapabilityName
    package let holder: DeviceHolder

    package init(device: DeviceDescription, capability: CapabilityName, holder: DeviceHolder) {
        self.device = device
        self.capability = capability
        self.holder = holder
    }

    /// Current uses of devices, except those by this process.
    ///
    /// Only root sees the processes of other users: proc(5).
    package static func all(of devices: [Device]) -> Set<DeviceUse> {
        let holdings = DeviceHolders.holdings(of: devices.flatMap(\.nodes))
        var uses: Set<DeviceUse> = []
        for device in devices {
            for holding in device.nodes.flatMap({ holdings[$0] ?? [] }) {
                uses.insert(
                    DeviceUse(device: device.description, capability: device.capability, holder: holding.holder))
            }
        }
        return uses
    }
}

/// Reports when devices are opened and closed, and checks regularly for events that were missed.
///
/// *thread-safe*
package final class DeviceUseMonitor: Sendable {
    private struct State {
        var nodes: [String] = []
        var watch: OpeningWatch?
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "capturegate.uses")
    private let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    package init() {}

    /// Uses whenever they may have changed: at once, after each opening and closing of a node, and twice a second.
    package func each(_ body: (Set<DeviceUse>) async throws -> Void) async rethrows {
        let clock = Task { [wakes] in
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(500))
                wakes.continuation.yield()
            }
        }
        defer { clock.cancel() }
        wakes.continuation.yield()
        for await _ in wakes.stream {
            // A device that has just been plugged in is known at the next check.
            let devices = DeviceCatalog.scan(.identity).filter { !$0.nodes.isEmpty }
            follow(devices.flatMap(\.nodes).sorted())
            try await body(DeviceUse.all(of: devices))
        }
    }

    private func follow(_ nodes: [String]) {
        state.withLock { state in
            guard state.nodes != nodes || state.watch == nil else { return }
            state.nodes = nodes
            let continuation = wakes.continuation
            state.watch = OpeningWatch(of: nodes, on: queue) { continuation.yield() }
        }
    }
}
