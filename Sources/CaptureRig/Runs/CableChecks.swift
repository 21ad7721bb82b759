import CaptureGate
import CaptureRecording
import Dispatch
import GateTestKit

extension CheckMakers {
    /// Checks of devices that come and go.
    static let cable: [String: Maker] = [
        "camera.present": present, "sound.present": present,
        "camera.unplug": unplug, "camera.hotplug": hotplug,
    ]

    private static func unplug(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let record = PulledRecording.recording(on: context.queue)
        return try await CableTrial(cable: try Cable(context)).unplug(
            try context.device(), after: context.duration("for") ?? .seconds(3), record)
    }

    private static func hotplug(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        try await CableTrial(cable: try Cable(context)).hotplug(
            try context.device(), times: context.count("times") ?? 100, context.streams)
    }

    /// It was found: one that is away is missed before this.
    private static func present(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        CheckFindings([Measure("present", 1, "devices", .higher)])
    }
}

/// Trials with a device's cable.
///
/// *thread-safe*
struct CableTrial: Sendable {
    let cable: Cable
    var meter: UsageMeter = ProcessUsage.now
    /// Time in which the end of a device must end a recording, and the threads of a capture must have ended.
    var patience = Duration.seconds(10)

    // MARK: Pulled out while it records

    /// Records, unplugs the device, and checks the file. The device is plugged in again in every case.
    func unplug(
        _ device: Device, after time: Duration, _ record: PulledRecording.Maker
    ) async throws(CaptureError) -> CheckFindings {
        let others = Set(await cable.devices().map(\.id))
        let taken = await pulled(device, after: time, record)
        let returned = await brought(back: device, others: others)
        let (recording, back) = (try taken.get(), try returned.get())
        try CaptureError.checkInterruption()
        if recording.end == .interrupt || recording.end == .complete {
            throw CaptureError(.unavailable, "The recording continued after \(device.id) was unplugged.")
        }
        let message = back.id == device.id ? nil : "It returned with the id \(back.id)."
        return CheckFindings(recording.measures, message: message)
    }

    private func pulled(
        _ device: Device, after time: Duration, _ record: PulledRecording.Maker
    ) async -> Result<PulledRecording, CaptureError> {
        await outcome { () async throws(CaptureError) in
            let (control, begun, isOver) = (try RecordingControl(), Signal(), StopMark())
            async let recording = Self.result(of: record, device, control, begun, isOver)
            await begun.reached()
            // Nothing is unplugged for a plan that was cancelled, or a recording that never began.
            let isCalm = (try? await Task.sleep(for: time)) != nil && !isOver.isSet
            let failure = isCalm ? await failureToTakeAway(device) : nil
            if failure != nil || !isCalm { control.stop() }
            // Longer than a recording needs to notice: one that continues is ended, and reported.
            let watch = Task { [patience] in
                try? await Task.sleep(for: patience)
                if !Task.isCancelled { control.stop() }
            }
            let result = await recording
            watch.cancel()
            if let failure { throw failure }
            return try result.get()
        }
    }

    private func failureToTakeAway(_ device: Device) async -> CaptureError? {
        await outcome { () async throws(CaptureError) in try await cable.takeAway(device) }.failure
    }

    private static func result(
        of record: PulledRecording.Maker, _ device: Device, _ control: RecordingControl, _ begun: Signal,
        _ isOver: StopMark
    ) async -> Result<PulledRecording, CaptureError> {
        defer {
            isOver.set()
            begun.raise()
        }
        return await outcome { () async throws(CaptureError) in try await record(device, control, begun) }
    }

    // MARK: Out and in again

    /// Takes a device away and brings it back, again and again, and captures some frames each time.
    func hotplug(
        _ device: Device, times: Int, _ streams: any StreamSource
    ) async throws(CaptureError) -> CheckFindings {
        var (now, changed, first) = (device, 0, ProcessUsage?.none)
        for time in 1...max(times, 2) {
            try CaptureError.checkInterruption()
            let back = try await outAndIn(now)
            if back.id != now.id { changed += 1 }
            now = back
            var capture = StreamCapture(for: .seconds(3))
            capture.frames = 5
            try await streams.record(capture, from: now).check()
            // After the first time, a process has all its permanent resources.
            if time == 1 { first = meter() }
        }
        let after = try await ProcessUsage.settled(first, meter, within: patience)
        return CheckFindings(
            [Measure("ids_changed", Double(changed), "times", .lower)] + ProcessUsage.leaks(from: first, to: after),
            message: now.id == device.id ? nil : "Its id is now \(now.id).")
    }

    /// The device is plugged in again even if it could not be unplugged.
    private func outAndIn(_ device: Device) async throws(CaptureError) -> Device {
        let others = Set(await cable.devices().map(\.id))
        let failure = await failureToTakeAway(device)
        let returned = await brought(back: device, others: others)
        if let failure { throw failure }
        return try returned.get()
    }

    private func brought(back device: Device, others: Set<DeviceID>) async -> Result<Device, CaptureError> {
        await outcome { () async throws(CaptureError) in try await cable.bringBack(device, others: others) }
    }
}

/// Cable of a device, by a plan's programs.
///
/// *thread-safe*
struct Cable: Sendable {
    let pull: PlanCommand
    let plug: PlanCommand
    /// Runs a program; `nil` if it did what it is for.
    let run: @Sendable (PlanCommand) async -> CaptureError?
    /// Devices of the machine now.
    let devices: @Sendable () async -> [Device]
    /// Time in which a device must have gone, or be back.
    var patience = Duration.seconds(30)
    /// Time in which a device must be back as itself if another one has come.
    var grace = Duration.seconds(2)

    /// - Throws: `.usage` without programs.
    init(_ context: CheckContext) throws(CaptureError) {
        guard let pull = context.command("pull"), let plug = context.command("plug") else {
            throw CaptureError(
                .usage, "\(context.planned.check) needs programs that unplug the camera and plug it in again.",
                remedies: [Remedy("Add them as `pull` and `plug` to the plan.")])
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
    /// - Throws: `.unavailable` if the program fails or the device is there all the same: the bench is broken.
    func takeAway(_ device: Device) async throws(CaptureError) {
        if let error = await run(pull) { throw error }
        let isGone = await holds { devices in !devices.contains { $0.id == device.id } }
        if !isGone {
            throw CaptureError(
                .unavailable, "\(device.id) is still connected after \(pull.arguments.joined(separator: " ")).")
        }
    }

    /// Plugs a device in again. This continues even if the task is cancelled, since the bench must be as before.
    ///
    /// - Parameter others: ids of the devices that were present before it was unplugged.
    /// - Returns: the device, which may have another id now.
    /// - Throws: `.unavailable` if the program fails, `.deviceGone` if no device comes.
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
        throw CaptureError(.deviceGone, "\(device.id) did not return within \(patience).")
    }

    /// Scans the devices until they satisfy the condition.
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
