import CaptureGate

/// What a device captures for its lane, whatever it is: what waits in memory first, then what comes.
protocol FrameSource: AnyObject {
    /// The number of the decision that the capture rests on; `nil` where there is none.
    var decision: Int64? { get }
    /// What the device does otherwise than asked.
    var differences: [String] { get }
    var readySignal: Int32 { get }
    /// How the device's capture ended, once it has and everything was taken.
    var end: SessionEnd? { get }
    /// What the device says of its signal now.
    var signal: SignalState { get }
    /// For other threads, until the device is opened again; `nil` where it is given back.
    var handle: SessionHandle? { get }
    /// CLOCK_MONOTONIC nanoseconds of the last frame that the capture thread committed.
    var lastTimestamp: Int64 { get }
    /// Of what waits in memory, the first: CLOCK_MONOTONIC nanoseconds.
    var oldestHeld: Int64? { get }

    func start()
    func stop()
    /// Goes on with a device that was unplugged and is back; throws while it is not.
    /// - Returns: false while it is being opened, which is not waited for: ask again.
    func reattach() throws(CaptureError) -> Bool
    /// Gives the session back, to be closed.
    func release()
    /// Throws one period or picture away, while other devices have not started yet.
    /// - Returns: false where there is none.
    func skip() -> Bool
    /// Takes one period or picture more into memory.
    /// - Returns: false where there is none.
    func holdNext() throws(CaptureError) -> Bool
    /// Takes one period or picture more into memory, and out of it what is too old.
    /// - Parameters:
    ///   - nanoseconds: how far back it is to reach.
    ///   - most: bytes.
    /// - Returns: false where there is none.
    func hold(_ nanoseconds: Int64, most: Int) throws(CaptureError) -> Bool
}
