import CaptureEncoding
import CaptureGate
import Dispatch

/// Running devices of a permit, on which clips are recorded one after another while other code sees the frames.
///
/// One permission, requested once, is enough for all of it: the devices run from the opening to ``close()``. A clip begins at the
/// moment of the request, and ends at the moment when it is stopped; its files are like those of a `Recorder`. Meanwhile
/// ``frames(of:keeping:)`` returns copies, and ``watch(_:_:)`` lends the frames themselves: to a preview, a meter or an analysis.
/// Both can convert the frames.
///
///     let capture = try await LiveCapture(opening: permit)
///     let first = try await capture.record(into: RecordingTarget("take-1.mkv"), for: .seconds(10))
///     let second = try await capture.record(into: RecordingTarget("take-2.mkv"), for: .seconds(10))
///     await capture.close()
///
/// A revocation ends everything, and so does a device that is unplugged while no clip waits for its return.
///
/// *thread-safe*
public final class LiveCapture: Sendable {
    private let devices: [OpenDevice]
    private let settings: RecorderSettings
    private let reader: LiveReader
    /// Tracks of the devices, with their formats.
    public let tracks: [ClipTrack]
    /// Settings that each device does otherwise than asked; devices without any are not in it.
    public let differences: [DeviceID: [FormatDifference]]

    /// Opens every device of a permit, and starts the captures.
    ///
    /// - Parameters:
    ///   - permit: permit for microphones at the level `.record` and cameras at `.video`. If one has a lower level, none is
    ///     opened.
    ///   - settings: settings of the devices and of the clips.
    /// - Throws: as `Recorder.init(opening:settings:)`.
    public init(
        opening permit: consuming Permit, settings: RecorderSettings = RecorderSettings()
    ) async throws(CaptureError) {
        let devices = try await OpenDevice.all(of: permit, settings)
        do throws(CaptureError) {
            reader = try LiveReader(devices)
        } catch {
            for device in devices { await device.close() }
            throw error
        }
        self.devices = devices
        self.settings = settings
        tracks = devices.compactMap(\.track)
        differences = Dictionary(
            uniqueKeysWithValues: devices.compactMap { device in
                device.device.map { ($0.id, device.differences) }
            }.filter { !$0.1.isEmpty })
        reader.start()
    }

    deinit { reader.close() }

    /// Records a clip; call it as often as you like, one clip at a time.
    ///
    /// - Parameters:
    ///   - target: output of the clip. A camera's frames are not converted for it, as others may use them: if the format can't
    ///     store them, open the capture with a pixel format that it can.
    ///   - others: further outputs, each with the tracks that its format can hold.
    ///   - duration: duration of the clip; `nil` uses the settings'.
    ///   - control: pauses, resumes and ends the clip; so does cancelling the task. The devices continue to run.
    ///   - onEvent: called on the recorder's thread.
    /// - Throws: if no file was created. `.usage` while another clip is recorded: stop that one first, or name all outputs at
    ///   once. If the capture has ended, the error that ended it.
    public func record(
        into target: RecordingTarget, and others: [RecordingTarget] = [], for duration: Duration? = nil,
        control: RecordingControl? = nil, onEvent: @escaping @Sendable (RecordingEvent) -> Void = { _ in }
    ) async throws(CaptureError) -> Clip {
        let control = if let control { control } else { try RecordingControl() }
        let (devices, settings, reader) = (devices, settings, reader)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Clip, CaptureError>, Never>) in
                let targets = [target] + others
                reader.add(
                    LiveJob(control, targets) {
                        Result { () throws(CaptureError) in
                            try Recording(devices, targets, settings, control, keepsDevices: true, onEvent: onEvent)
                                .run(for: duration ?? settings.duration)
                        }
                    } end: {
                        continuation.resume(returning: $0)
                    })
            }
        } onCancel: {
            control.stop()
        }
        return try result.get()
    }

    /// True while a clip is recorded.
    public var isRecording: Bool { reader.isRecording }

    /// Error that ended the capture; `nil` while it runs, and where ``close()`` ended it.
    public var failure: CaptureError? { reader.failure }

    /// Copies of the frames of a device, from now on.
    ///
    /// - Parameters:
    ///   - device: device of the permit.
    ///   - count: number of frames that wait for a slow reader, at least 1. The oldest are lost first, which shows in the headers'
    ///     sequence numbers.
    /// - Throws: `.usage` for a device that is not of this capture.
    public func frames(of device: DeviceID, keeping count: Int = 4) throws(CaptureError) -> LiveFrames {
        let open = try open(device)
        let (stream, continuation) = AsyncStream.makeStream(
            of: Result<CapturedFrame, CaptureError>.self, bufferingPolicy: .bufferingNewest(max(count, 1)))
        let watcher = FrameWatcher { header, bytes in
            continuation.yield(.success(CapturedFrame(header, bytes)))
        } end: { error in
            if let error { continuation.yield(.failure(error)) }
            continuation.finish()
        }
        continuation.onTermination = { _ in open.remove(watcher) }
        reader.add(watcher, to: open)
        return LiveFrames(stream)
    }

    /// Lends each frame of a device as it is, on the thread that reads the devices, ahead of the recorder.
    ///
    /// - Parameters:
    ///   - device: of the permit.
    ///   - body: gets the header and `header.byteCount` bytes, valid inside the call alone. It must be quick: while it runs no
    ///     device is read, and what a ring can't hold is lost.
    /// - Returns: the watch, which ends when it is released.
    /// - Throws: `.usage` for a device that is not of this capture.
    public func watch(
        _ device: DeviceID, _ body: @escaping @Sendable (FrameHeader, RawSpan) -> Void
    ) throws(CaptureError) -> FrameWatch {
        let open = try open(device)
        let watcher = FrameWatcher(see: body) { _ in }
        reader.add(watcher, to: open)
        return FrameWatch(watcher, of: open)
    }

    /// Ends the clip that is recorded, closes the devices, and writes the ends into the audit log.
    public func close() async {
        reader.close()
        await reader.wait()
        for device in devices { await device.close() }
    }

    private func open(_ id: DeviceID) throws(CaptureError) -> OpenDevice { try devices[index(of: id)] }

    /// Track of a device.
    /// - Throws: `.usage` for a device that is not of this capture.
    func track(of id: DeviceID) throws(CaptureError) -> ClipTrack { try tracks[index(of: id)] }

    private func index(of id: DeviceID) throws(CaptureError) -> Int {
        // Not by the device itself, whose frames a caller may be looking at.
        if let index = tracks.firstIndex(where: { $0.device == id.rawValue }) { return index }
        throw CaptureError(
            .usage, "\(id) is not a device of this capture.",
            remedies: [Remedy("Choose one of \(tracks.map(\.device).joined(separator: ", ")).")])
    }
}

/// Copies of the frames of a running device: an asynchronous sequence for one loop.
///
/// It ends when the capture is closed, and throws if the capture ended for another reason. Leaving the loop does not affect the
/// capture.
///
/// *thread-safe*
public struct LiveFrames: AsyncSequence, Sendable {
    public typealias Element = CapturedFrame
    public typealias Failure = CaptureError

    private let stream: AsyncStream<Result<CapturedFrame, CaptureError>>
    /// Conversion of the frames; `nil` for unchanged frames.
    private var conversion: CopyConversion?

    init(_ stream: AsyncStream<Result<CapturedFrame, CaptureError>>) { self.stream = stream }

    /// The same frames, converted; unchanged for `nil`.
    func converted(by converter: PictureConverter?) -> LiveFrames {
        var frames = self
        frames.conversion = converter.map(CopyConversion.init)
        return frames
    }

    /// Iterator with a typed error.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var iterator: AsyncStream<Result<CapturedFrame, CaptureError>>.Iterator
        fileprivate let conversion: CopyConversion?

        /// Next frame; `nil` after the last.
        public mutating func next() async throws(CaptureError) -> CapturedFrame? {
            try converted(await iterator.next())
        }

        /// The same from an actor.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(CaptureError) -> CapturedFrame? {
            try converted(await iterator.next(isolation: actor))
        }

        private func converted(
            _ frame: Result<CapturedFrame, CaptureError>?
        ) throws(CaptureError) -> CapturedFrame? {
            guard let frame = try frame?.get() else { return nil }
            return conversion?.convert(frame) ?? frame
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iterator: stream.makeAsyncIterator(), conversion: conversion)
    }
}

/// Watch on the frames of a device, until it is released or cancelled.
///
/// *thread-safe*
public final class FrameWatch: Sendable {
    private let watcher: FrameWatcher
    private let device: OpenDevice

    init(_ watcher: FrameWatcher, of device: OpenDevice) {
        self.watcher = watcher
        self.device = device
    }

    /// Ends it; a call that is running still returns.
    public func cancel() { device.remove(watcher) }

    deinit { cancel() }
}
