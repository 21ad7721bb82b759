import CaptureGate

/// One device's way into the clip: places its frames on the clip's time line, and counts.
protocol Lane: AnyObject {
    associatedtype Source: FrameSource
    /// Where its frames come from.
    var source: Source { get }
    /// As the device delivers it.
    var track: ClipTrack { get }
    /// The same, as the writer gets it.
    var writtenTrack: ClipTrack { get }
    /// Everything the clip was to have is there.
    var isComplete: Bool { get }
    /// From the clip's start to the end of the last frame, nanoseconds.
    var elapsed: Int64 { get }

    /// Writes what is there: all the sound, which is quick, or one picture, so that sound never waits for more than one.
    /// - Returns: false where there was nothing.
    func write(to writer: any ClipWriter, as track: Int) throws(CaptureError) -> Bool
    /// Writes one period or picture.
    /// - Returns: false where there is none.
    func writeNext(to writer: any ClipWriter, as track: Int) throws(CaptureError) -> Bool
    /// Has what is missing up to a place in the clip, and ends there: its device is away.
    /// - Parameter nanoseconds: from the clip's start.
    func miss(until nanoseconds: Int64, in writer: any ClipWriter, as track: Int) throws(CaptureError)
    /// Writes what is still inside; nothing more comes.
    func finish() throws(CaptureError)
    func ledger(counts: EncoderCounts) -> TrackLedger
}

extension Lane {
    var writtenTrack: ClipTrack { track }

    func finish() throws(CaptureError) {}
}
