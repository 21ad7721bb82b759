import CaptureBase

/// Output that shows each frame as it arrives and keeps none, such as a virtual camera: the device as its writer sees it.
///
/// The calls come in one order: `begin`, any number of the others, `end`. None of them waits for a viewer.
///
/// *session-bound*
package protocol FrameOutput: AnyObject, Sendable {
    /// Path of the device file.
    var path: String { get }
    /// Formats that it takes, in its own order.
    var pixelFormats: [PixelFormat] { get }

    /// Sets the format.
    /// - Parameter format: in one of `pixelFormats`.
    /// - Returns: the format with the output's own distance between rows.
    /// - Throws: `.notAsAsked` for a size that it does not take; `.busy`.
    func begin(_ format: VideoFormat) throws(CaptureError) -> VideoFormat

    /// Sends a frame that is in the output's layout.
    /// - Parameters:
    ///   - picture: bytes of the frame.
    ///   - timestamp: time of the capture, CLOCK_MONOTONIC nanoseconds.
    /// - Returns: false if it accepts none now.
    /// - Throws: `.deviceGone`, `.inputOutput`.
    func pass(_ picture: UnsafeRawBufferPointer, at timestamp: Int64) throws(CaptureError) -> Bool

    /// Lends a free buffer for one frame; `nil` if none exists now.
    /// - Throws: `.deviceGone`, `.inputOutput`.
    func room() throws(CaptureError) -> UnsafeMutableRawBufferPointer?

    /// Sends the buffer that was lent.
    /// - Parameters:
    ///   - count: bytes in it.
    ///   - timestamp: of the capture, CLOCK_MONOTONIC nanoseconds.
    /// - Returns: false if it takes none now.
    /// - Throws: `.deviceGone`, `.inputOutput`.
    func put(_ count: Int, at timestamp: Int64) throws(CaptureError) -> Bool

    /// Ends the output; a second call does nothing.
    /// - Parameter isNormal: true to show what it has first.
    func end(isNormal: Bool)
}

/// Times at which the frames of a clip were captured. A clip's time omits pauses; live video has the time of the capture.
///
/// *thread-safe*
package final class CaptureMoments: Sendable {
    /// Distance from the clip's time to CLOCK_MONOTONIC from a time of the clip on.
    private struct Part {
        let start: Int64
        var distance: Int64
    }

    private let parts = Locked<[Part]>([])

    package init() {}

    /// Notes a frame. Memory is needed where a pause lies before it, and then alone.
    /// - Parameters:
    ///   - time: in the clip, nanoseconds.
    ///   - moment: of the capture, CLOCK_MONOTONIC nanoseconds.
    package func note(_ time: Int64, at moment: Int64) {
        parts.withLock { parts in
            let last = parts.count - 1
            if last >= 0, abs(parts[last].distance - (moment - time)) < Self.shortestPause {
                parts[last].distance = moment - time
            } else {
                parts.append(Part(start: time, distance: moment - time))
            }
        }
    }

    /// Moment of a time in the clip, CLOCK_MONOTONIC nanoseconds; 0 before any was noted.
    /// - Parameter time: nanoseconds.
    package func moment(of time: Int64) -> Int64 {
        parts.withLock { parts in
            var index = parts.count - 1
            while index > 0, parts[index].start > time { index -= 1 }
            return index < 0 ? 0 : time + parts[index].distance
        }
    }

    /// Nanoseconds. A pause lasts whole frames, and clocks that are steered move by microseconds.
    private static let shortestPause: Int64 = 5_000_000
}
