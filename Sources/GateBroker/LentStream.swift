import CaptureBase
import CaptureGate
import CaptureRealtime
import Gate
import LinuxSystem

/// Memory from which one program reads the frames of one stream.
///
/// *thread-safe*
protocol LentRing: Sendable {
    /// The memory and the wake-up, as the program gets them.
    var files: [RawDescriptor] { get }
    /// Number of frames that it holds.
    var slots: Int { get }
    /// Maximum bytes of a frame.
    var slotBytes: Int { get }

    /// Writes a frame, whose planes follow one another. A program that reads too slowly loses the oldest, and nobody waits.
    func write(_ header: FrameHeader, _ first: RawSpan, _ second: RawSpan, _ third: RawSpan)

    /// Erases all frames, and marks the end with its reason; later frames are dropped.
    func end(_ reason: LoopEnd)
}

/// Device lent to one program: its permission, its ring, and the frames written to it.
///
/// *thread-safe*
final class LentStream: Sendable {
    private struct State {
        var isStarted = false
        /// Set with the end; nothing is written any more.
        var end: LoopEnd?
        var frames: UInt64 = 0
        var bytes: UInt64 = 0
    }

    /// Number on its connection.
    let number: UInt32
    /// Description that the program gets.
    let device: LentDevice
    /// The gate's side of it.
    let hold: ActiveCapture
    private let ring: any LentRing
    private let share: DeviceShare
    private let client: any AgentLink
    /// Locked while a frame is written, so that nothing is written after the wiping.
    private let state = Locked(State())

    /// - Parameters:
    ///   - device: device as the program sees it.
    ///   - hold: redeemed for this program.
    ///   - ring: ring of this stream only.
    ///   - share: source of the frames.
    ///   - client: notified of the end.
    init(
        _ device: LentDevice, _ hold: ActiveCapture, _ ring: any LentRing, of share: DeviceShare,
        to client: any AgentLink
    ) {
        number = device.stream
        self.device = device
        self.hold = hold
        self.ring = ring
        self.share = share
        self.client = client
    }

    /// The memory and the wake-up.
    var files: [RawDescriptor] { ring.files }

    /// True while the program wants frames, and may have them.
    var isRunning: Bool { state.withLock { $0.isStarted && $0.end == nil } }

    /// True once nothing comes any more.
    var isEnded: Bool { state.withLock { $0.end != nil } }

    /// Watches the permission from now on: called once the program knows the stream's number.
    func watch() {
        // The hold is the share's and the stream's: without `weak` each would keep the other.
        hold.onEnd { [weak self] reason in self?.revoke(reason) }
        share.tellIfGone(self)
    }

    /// Begins to deliver, and has the device capture.
    func start() async throws(CaptureError) {
        if let reason = hold.endReason { throw reason.error(hold.device, as: hold.capability) }
        state.withLock { $0.isStarted = true }
        do throws(CaptureError) {
            try await share.begin()
        } catch {
            state.withLock { $0.isStarted = false }
            throw error
        }
    }

    /// Delivers nothing until the next start. If it was the last stream, the device stops capturing.
    func stop() async {
        state.withLock { $0.isStarted = false }
        await share.rest()
    }

    /// Puts a frame into the ring, if the program has started.
    func deliver(_ header: FrameHeader, _ first: RawSpan, _ second: RawSpan, _ third: RawSpan) {
        state.withLock { state in
            guard state.isStarted, state.end == nil else { return }
            ring.write(header, first, second, third)
            state.frames += UInt64(header.frameCount)
            state.bytes += UInt64(header.byteCount)
        }
    }

    /// Ends it on the gate's order: first the frames are erased, then everybody is notified.
    private func revoke(_ reason: CaptureEndReason) {
        guard finish(reason == .expired ? .expired : .revoked) else { return }
        client.send(.ended(StreamEnd(number, reason)))
        Task { await self.release("ended by the gate") }
    }

    /// Ends it with its device.
    func lose(_ error: CaptureError) {
        guard finish(.deviceGone) else { return }
        client.send(.gone(StreamLoss(number, BrokerFailure(error))))
    }

    /// Wipes the ring. False if it has ended already.
    private func finish(_ end: LoopEnd) -> Bool {
        state.withLock { state in
            guard state.end == nil else { return false }
            state.end = end
            ring.end(end)
            return true
        }
    }

    /// Releases everything, and writes the end to the audit log.
    ///
    /// - Parameters:
    ///   - outcome: a short sentence.
    ///   - frames: number that the program reports; counted only up to the number of frames delivered.
    ///   - bytes: the same in bytes.
    /// - Returns: the reason why the log does not contain it; `nil` if it does.
    @discardableResult
    func release(_ outcome: String, frames: UInt64 = .max, bytes: UInt64 = .max) async -> CaptureError? {
        _ = finish(.stopped)
        let written = state.withLock { ($0.frames, $0.bytes) }
        await share.leave(self)
        return await hold.finished(frames: min(frames, written.0), bytes: min(bytes, written.1), outcome: outcome)
    }

    /// Leaves its device for another opening, under the same permission.
    func detach() async {
        _ = finish(.stopped)
        await share.leave(self)
    }
}

/// Streams of one connection by their numbers, and how many it may have.
///
/// *thread-safe*
final class StreamRegister: Sendable {
    private struct State {
        var last: UInt32 = 0
        /// Numbers of streams that are being opened.
        var reserved: Set<UInt32> = []
        var streams: [UInt32: LentStream] = [:]
        var isClosed = false
    }

    private let state = Locked(State())

    /// Number for a stream that is about to be opened.
    ///
    /// - Throws: `.busy` if the program has the maximum number of streams.
    func reserve() throws(CaptureError) -> UInt32 {
        let number = state.withLock { state -> UInt32? in
            guard state.streams.count + state.reserved.count < BrokerLimit.streams else { return nil }
            repeat {
                state.last = state.last == .max ? 1 : state.last + 1
            } while state.streams[state.last] != nil
                || state.reserved.contains(state.last)
            state.reserved.insert(state.last)
            return state.last
        }
        guard let number else {
            throw CaptureError(
                .busy, "The program has \(BrokerLimit.streams) streams open already.",
                remedies: [Remedy("Close one of them.")])
        }
        return number
    }

    /// Gives a number back whose stream did not open.
    func cancel(_ number: UInt32) { state.withLock { _ = $0.reserved.remove(number) } }

    /// Enters an open stream. False if the connection has ended.
    func add(_ stream: LentStream) -> Bool {
        state.withLock { state in
            state.reserved.remove(stream.number)
            guard !state.isClosed else { return false }
            state.streams[stream.number] = stream
            return true
        }
    }

    func remove(_ number: UInt32) { state.withLock { _ = $0.streams.removeValue(forKey: number) } }

    /// The stream of a number.
    ///
    /// - Throws: `.usage` if the connection has none of it.
    func stream(_ number: UInt32) throws(CaptureError) -> LentStream {
        guard let stream = state.withLock({ $0.streams[number] }) else { throw .noStream(number) }
        return stream
    }

    /// Removes a stream. Its number stays reserved if it will be opened again.
    func take(_ number: UInt32, reserving: Bool = false) throws(CaptureError) -> LentStream {
        let stream = state.withLock { state -> LentStream? in
            guard let stream = state.streams.removeValue(forKey: number) else { return nil }
            if reserving { state.reserved.insert(number) }
            return stream
        }
        guard let stream else { throw .noStream(number) }
        return stream
    }

    /// Takes all out, and takes in no more.
    func close() -> [LentStream] {
        state.withLock { state in
            state.isClosed = true
            defer { state.streams = [:] }
            return Array(state.streams.values)
        }
    }
}

extension CaptureError {
    fileprivate static func noStream(_ number: UInt32) -> CaptureError {
        CaptureError(
            .usage, "The program has no stream \(number).", remedies: [Remedy("Open a device first.")])
    }
}
