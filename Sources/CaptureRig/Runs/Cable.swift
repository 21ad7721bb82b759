import CaptureGate
import Dispatch

/// Cable of a device, by a plan's programs.
///
/// *thread-safe*
struct Cable: Sendable {
    let pull: PlanCommand
    let plug: PlanCommand
    /// Runs a program; `nil` where it did what it is for.
    let run: @Sendable (PlanCommand) async -> CaptureError?
    /// Devices of the machine now.
    let devices: @Sendable () async -> [Device]
    /// Time in which a device must have gone, or be back.
    var patience = Duration.seconds(30)
    /// Time in which a device must be back as itself where another one has come.
    var grace = Duration.seconds(2)

    /// - Throws: `.usage` without programs.
    init(_ context: CheckContext) throws(CaptureError) {
        guard let pull = context.command("pull"), let plug = context.command("plug") else {
            throw CaptureError(
                .usage, "\(context.planned.check) needs programs that take the camera away and bring it back.",
                remedies: [Remedy("Write them as `pull` and `plug` in the plan.")])
        }
        let commands = context.commands
        self.init(
            pull: pull, plug: plug, run: { await commands.failure(of: $0) },
            devices: {
                await withCheckedContinuation { continuation in
                    DispatchQueue(label: "capturegate.rig.devices").async {
                        continuation.resume(returning: DeviceCatalog.scan(.identity))
                    }
                }
            })
    }

    init(
        pull: PlanCommand, plug: PlanCommand, run: @escaping @Sendable (PlanCommand) async -> CaptureError?,
        devices: @escaping @Sendable () async -> [Device]
    ) {
        (self.pull, self.plug, self.run, self.devices) = (pull, plug, run, devices)
    }

    /// Takes a device away.
    ///
    /// - Throws: `.unavailable` where the program fails or the device is there all the same: the bench is broken.
    func takeAway(_ device: Device) async throws(CaptureError) {
        if let error = await run(pull) { throw error }
        let isGone = await holds { devices in !devices.contains { $0.id == device.id } }
        if !isGone {
            throw CaptureError(
                .unavailable, "\(device.id) is still there after \(pull.arguments.joined(separator: " ")).")
        }
    }

    /// Brings a device back. It is not given up where the task is cancelled: the bench shall be as it was.
    ///
    /// - Parameter others: ids of the devices that were there before it was taken away.
    /// - Returns: the device, which may have come back as another one.
    /// - Throws: `.unavailable` where the program fails, `.deviceGone` where nothing comes.
    func bringBack(_ device: Device, others: Set<DeviceID>) async throws(CaptureError) -> Device {
        if let error = await run(plug) { throw error }
        let found = Locked<Device?>(nil)
        let end = ContinuousClock.now + patience
        let arrived = Locked<ContinuousClock.Instant?>(nil)
        let isBack = await holds { devices in
            if let same = devices.first(where: { $0.id == device.id }) {
                found.withLock { $0 = same }
                return true
            }
            let another = devices.first { $0.capability == device.capability && !others.contains($0.id) }
            found.withLock { $0 = another }
            guard another != nil else { return false }
            let since = arrived.withLock { arrived in
                arrived = arrived ?? .now
                return arrived ?? .now
            }
            return ContinuousClock.now >= min(since + grace, end)
        }
        if isBack, let back = found.withLock({ $0 }) { return back }
        throw CaptureError(.deviceGone, "\(device.id) did not come back within \(patience).")
    }

    /// Looks at the devices until they are as they shall be.
    private func holds(_ condition: ([Device]) -> Bool) async -> Bool {
        let end = ContinuousClock.now + patience
        while true {
            if condition(await devices()) { return true }
            if ContinuousClock.now >= end { return false }
            await Self.pause()
        }
    }

    /// A twentieth of a second, also in a task that was cancelled.
    static func pause() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { continuation.resume() }
        }
    }
}
