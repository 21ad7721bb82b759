import CaptureGate

/// One device's way into the clip: places its frames on the clip's time line, and counts.
protocol Lane: AnyObject {
    /// As the device delivers it.
    var track: ClipTrack { get }
    /// The same, as the writer gets it.
    var writtenTrack: ClipTrack { get }
    var differences: [String] { get }
    var readySignal: Int32 { get }
    /// Everything the clip was to have is there.
    var isComplete: Bool { get }
    /// How the device's capture ended, once it has and everything was taken.
    var end: SessionEnd? { get }
    /// From the clip's start to the end of the last frame, nanoseconds.
    var elapsed: Int64 { get }
    /// CLOCK_MONOTONIC nanoseconds of the last frame that the capture thread committed.
    var lastTimestamp: Int64 { get }

    func start()
    func stop()
    /// Throws one period or picture away, while other devices have not started yet.
    /// - Returns: false where there is none.
    func skip() -> Bool
    /// What was taken into memory before the clip has begun.
    var held: HeldFrames { get }
    /// Takes one period or picture more into it.
    /// - Returns: its timestamp; `nil` where there is none.
    func holdNext() throws(CaptureError) -> Int64?
    /// Learns from a frame that is in no clip what it says of the device's clock.
    func pass(_ header: FrameHeader)
    /// Writes what is there: all the sound, which is quick, or one picture, so that sound never waits for more than one.
    /// - Returns: false where there was nothing.
    func write(to writer: any ClipWriter, as track: Int) throws(CaptureError) -> Bool
    /// Writes what is still inside; nothing more comes.
    func finish() throws(CaptureError)
    func ledger(counts: EncoderCounts) -> TrackLedger
    /// Goes on with a device that was unplugged and is back; throws while it is not.
    func reattach() throws(CaptureError)
    /// Gives the session back, to be closed.
    func release()
}

extension Lane {
    /// How often the recorder's thread is woken for a device: a file is in no hurry.
    static var wakeInterval: Duration { .milliseconds(50) }

    /// Takes one period or picture more into memory, and out of it what is too old.
    /// - Parameters:
    ///   - nanoseconds: how far back it is to reach.
    ///   - most: bytes.
    /// - Returns: false where there is none.
    func hold(_ nanoseconds: Int64, most: Int) throws(CaptureError) -> Bool {
        guard let newest = try holdNext() else { return false }
        while let header = held.dropFirst(before: newest - nanoseconds, most: most) { pass(header) }
        return true
    }

    /// Of what is held, the first: CLOCK_MONOTONIC nanoseconds.
    var oldestHeld: Int64? { held.oldest }

    func finish() throws(CaptureError) {}

    var writtenTrack: ClipTrack { track }
}
