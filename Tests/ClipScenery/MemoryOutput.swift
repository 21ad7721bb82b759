import CaptureBase
import CaptureEncoding

/// Double of a node that accepts frames: it keeps them in memory, and has the space that a test sets.
package final class MemoryOutput: FrameOutput {
    package let path = "/dev/video9"
    package let pixelFormats: [PixelFormat]
    /// Bytes after each row.
    private let padding: Int
    private let state: Locked<State>

    private struct State {
        var format: VideoFormat?
        var frames: [Frame] = []
        var buffer: UnsafeMutableRawBufferPointer?
        /// Whether it has room, one for each frame, then always.
        var hasRoom: [Bool]
        /// Frames after which it is gone; `nil` for never.
        var goneAfter: Int?
        var ends: [Bool] = []
    }

    /// A frame as it arrived.
    package struct Frame: Hashable, Sendable {
        package let bytes: [UInt8]
        /// CLOCK_MONOTONIC nanoseconds.
        package let moment: Int64
    }

    package static let gone = CaptureError(.deviceGone, "The output /dev/video9 is gone.")

    package init(_ codes: [String], padding: Int = 0, hasRoom: [Bool] = [], goneAfter: Int? = nil) {
        pixelFormats = codes.compactMap { PixelFormat($0) }
        self.padding = padding
        state = Locked(State(hasRoom: hasRoom.reversed(), goneAfter: goneAfter))
    }

    deinit { state.withLock { $0.buffer?.deallocate() } }

    package var format: VideoFormat? { state.withLock { $0.format } }
    package var frames: [Frame] { state.withLock { $0.frames } }
    /// What each end said: true for a normal one.
    package var ends: [Bool] { state.withLock { $0.ends } }

    package func begin(_ format: VideoFormat) throws(CaptureError) -> VideoFormat {
        let packed = RawLayout(format)?.planes[0].rowBytes ?? 0
        let own = VideoFormat(
            width: format.width, height: format.height, pixelFormat: format.pixelFormat, frameRate: format.frameRate,
            bytesPerLine: format.pixelFormat.isJPEG ? 0 : packed + padding, colorimetry: format.colorimetry)
        let size = RawLayout(own)?.byteCount ?? 1 << 20
        state.withLock { state in
            state.format = own
            state.buffer = .allocate(byteCount: size, alignment: 64)
            state.buffer?.initializeMemory(as: UInt8.self, repeating: 0)
        }
        return own
    }

    private func take() throws(CaptureError) -> Bool {
        let (isGone, hasRoom) = state.withLock { state in
            let isGone = state.goneAfter.map { state.frames.count >= $0 } ?? false
            return (isGone, isGone ? false : state.hasRoom.popLast() ?? true)
        }
        if isGone { throw Self.gone }
        return hasRoom
    }

    package func pass(_ picture: UnsafeRawBufferPointer, at timestamp: Int64) throws(CaptureError) -> Bool {
        guard try take() else { return false }
        keep(picture, timestamp)
        return true
    }

    package func room() throws(CaptureError) -> UnsafeMutableRawBufferPointer? {
        try take() ? state.withLock { $0.buffer } : nil
    }

    package func put(_ count: Int, at timestamp: Int64) throws(CaptureError) -> Bool {
        guard let buffer = state.withLock({ $0.buffer }) else { return false }
        keep(UnsafeRawBufferPointer(start: buffer.baseAddress, count: count), timestamp)
        return true
    }

    private func keep(_ bytes: UnsafeRawBufferPointer, _ timestamp: Int64) {
        let frame = Frame(bytes: Array(bytes), moment: timestamp)
        state.withLock { $0.frames.append(frame) }
    }

    package func end(isNormal: Bool) { state.withLock { $0.ends.append(isNormal) } }
}
