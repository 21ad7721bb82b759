import CaptureGate
import Gate
import LinuxSystem

/// All devices that are open for programs now, each of them once.
///
/// *thread-safe*
final class DeviceShares: Sendable {
    /// Makes the memory of a stream.
    typealias RingMaker = @Sendable (LentDevice.Format) throws(CaptureError) -> any LentRing

    /// A device, and its first opening.
    private struct Entry {
        /// Share of all programs that use it.
        let share: DeviceShare
        /// Waited for by all who come meanwhile.
        let opening: Task<Result<(LentDevice.Format, SignalState), CaptureError>, Never>
    }

    private let entries = Locked<[DeviceID: Entry]>([:])
    /// Makes the memory that a program reads.
    private let makeRing: RingMaker

    /// - Parameter makeRing: makes the memory that a program reads.
    init(_ makeRing: @escaping RingMaker) {
        self.makeRing = makeRing
    }

    /// Number of devices that are open.
    var count: Int { entries.withLock { $0.values.count { !$0.share.isOver } } }

    /// Opens a device for a program, once its gate has allowed it; one that is open already is shared.
    ///
    /// Nobody is asked here: undecided devices are refused.
    ///
    /// - Parameters:
    ///   - order: the program's request.
    ///   - number: number of the stream.
    ///   - gate: gate of the program.
    ///   - client: its connection.
    /// - Throws: the gate's refusal; the errors of opening.
    func lend(
        _ order: StreamOrder, _ number: UInt32, by gate: Gatekeeper, to client: any AgentLink
    ) async throws(CaptureError) -> LentStream {
        // The highest: nothing shows what a program does with what it reads.
        guard let level = order.capability.levels.last else {
            throw CaptureError(
                .usage, "No device has the capability \(order.capability).",
                remedies: [Remedy("Name a camera or a microphone.", .listDevices)])
        }
        let request = DeviceRequest(
            capability: order.capability, level: level, device: .id(order.device), purpose: order.purpose,
            isShared: true)
        if let refusal = await gate.refusal(of: [request]) { throw refusal }
        let hold = try await GateQueue(gatekeeper: gate).run(LentOpening(request, order.device))
        do throws(CaptureError) {
            return try await lent(hold, order.wish, number, to: client)
        } catch {
            await hold.finish(frames: 0, bytes: 0, outcome: error.message)
            throw error
        }
    }

    /// Opens the device of a stream again, which was unplugged, under the permission that it has.
    ///
    /// - Throws: the reason for the gate's end; the errors of opening, after which the stream is gone.
    func lend(
        again old: LentStream, _ wish: StreamWish, to client: any AgentLink
    ) async throws(CaptureError) -> LentStream {
        await old.detach()
        let hold = old.hold
        do throws(CaptureError) {
            if let reason = hold.endReason { throw reason.error(hold.device, as: hold.capability) }
            return try await lent(hold, wish, old.number, to: client)
        } catch {
            await hold.finish(frames: 0, bytes: 0, outcome: error.message)
            throw error
        }
    }

    /// Joins the share of a device, or opens it.
    private func lent(
        _ hold: ActiveCapture, _ wish: StreamWish, _ number: UInt32, to client: any AgentLink
    ) async throws(CaptureError) -> LentStream {
        let (entry, isFirst) = entries.withLock { entries -> (Entry, Bool) in
            let id = hold.device.id
            if let entry = entries[id], entry.share.enter() { return (entry, false) }
            let (share, before) = (DeviceShare(hold, wish), entries[id]?.share)
            let opening = Task {
                // The same device can't be opened before it is closed.
                await before?.settle()
                return await share.opening()
            }
            entries[id] = Entry(share: share, opening: opening)
            return (Entry(share: share, opening: opening), true)
        }
        let share = entry.share
        do throws(CaptureError) {
            let (format, signal) = try await entry.opening.value.get()
            if !isFirst { try await share.hold.join(hold) }
            let ring = try makeRing(format)
            var device = LentDevice()
            (device.stream, device.decision, device.format, device.signal) = (number, hold.decision, format, signal)
            (device.slots, device.slotBytes) = (ring.slots, ring.slotBytes)
            let stream = LentStream(device, hold, ring, of: share, to: client)
            share.add(stream)
            return stream
        } catch {
            share.hold.leave(hold)
            await share.leave()
            sweep()
            throw error
        }
    }

    /// Forgets devices that nobody has any more.
    private func sweep() {
        entries.withLock { entries in entries = entries.filter { !$0.value.share.isOver } }
    }

    /// Waits until all openings under way have ended, so that no device stays open.
    func waitUntilClosed() async {
        for entry in entries.withLock({ Array($0.values) }) { _ = await entry.opening.value }
        sweep()
    }
}

/// Begins a program's capture of a device.
private struct LentOpening: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    private let request: DeviceRequest
    private let device: DeviceID

    /// - Parameters:
    ///   - request: for the device alone.
    ///   - device: it.
    init(_ request: DeviceRequest, _ device: DeviceID) {
        self.request = request
        self.device = device
        authorization = AuthorizedFor(Capability.All([request]))
    }

    func execute(
        with permit: consuming Permit, in context: OperationContext
    ) async throws(CaptureError) -> ActiveCapture {
        var permit = permit
        guard let part = permit.take(device) else {
            throw CaptureError(.notAuthorized, "The permit is not for \(device).")
        }
        return try await part.redeem(opening: device, as: request.capability, for: request.level)
    }
}
