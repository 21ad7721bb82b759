import CaptureGate

/// Where the frames of one microphone leave for the clip: bit by bit as they came, or resampled, or silence.
final class SoundOutlet {
    let format: AudioFormat
    private let writer: any ClipWriter
    private let track: Int
    /// Frames the clip is to have; `nil` where that is open.
    private var target: UInt64?
    private var watch: SilenceWatch?

    /// Frames in the clip.
    private(set) var written: UInt64 = 0
    /// Of these, silence.
    private(set) var filled: UInt64 = 0
    /// Frames of the device that were handed in and are in the clip, or still inside.
    private var taken: UInt64 = 0

    /// The last frames that came in: what the resampler begins with.
    private var tail: [UInt8]
    private var resampler: Resampler?
    private var isResampling = false
    private var resampled: [UInt8] = []
    /// Silence is written from here, a piece at a time.
    private let silence: [UInt8]

    private static let silentFrames = 1024

    init(_ format: AudioFormat, to writer: any ClipWriter, as track: Int, target: UInt64?, watch: SilenceWatch? = nil) {
        self.format = format
        self.writer = writer
        self.track = track
        self.target = target
        self.watch = watch
        tail = [UInt8](repeating: 0, count: SincTable.half * format.bytesPerFrame)
        silence = [UInt8](repeating: 0, count: Self.silentFrames * format.bytesPerFrame)
    }

    var isFull: Bool { target.map { written >= $0 } ?? false }

    /// How many of so many frames the clip still has room for.
    func room(for frames: UInt64) -> UInt64 {
        target.map { min(frames, $0 - min($0, written)) } ?? frames
    }

    /// Frames of the device that are in the clip.
    var delivered: UInt64 {
        taken - UInt64(max(0, pending.rounded(.down)))
    }

    /// How many frames more the clip has through resampling; less where it is negative.
    var corrected: Int64 { Int64(written) - Int64(filled) - Int64(delivered) }

    /// Frames that came in and have not gone out.
    var pending: Double { isResampling ? resampler?.pending ?? 0 : 0 }

    /// Where the next frame that comes in will stand, in frames from the clip's start.
    func nextFrame(step: Double) -> Double { Double(written) + max(0, pending) / step }

    // MARK: In

    /// - Parameter step: frames of the device for one of the clip; `nil` where they are to stay as they are.
    func write(_ bytes: RawSpan, step: Double?) throws(CaptureError) {
        guard let step else { return try pass(bytes) }
        if !isResampling { beginResampling() }
        resampler?.push(bytes)
        taken += UInt64(bytes.byteCount / format.bytesPerFrame)
        keepTail(bytes)
        try pull(step: step)
    }

    /// Hands out what is inside; what comes next is no continuation of it.
    func flush(step: Double) throws(CaptureError) {
        guard isResampling else { return }
        resampler?.pushEnd()
        try pull(step: step)
        // At the end of the clip some of it may have found no room.
        taken = delivered
        isResampling = false
    }

    func writeSilence(_ frames: UInt64) throws(CaptureError) {
        var left = room(for: frames)
        guard left > 0 else { return }
        let silence = silence
        let bytes = silence.span.bytes
        while left > 0 {
            let piece = min(left, UInt64(Self.silentFrames))
            let put = try put(bytes.extracting(first: Int(piece) * format.bytesPerFrame), frames: piece)
            filled += put
            left = put == piece ? left - piece : 0
        }
        for index in tail.indices { tail[index] = 0 }
    }

    // MARK: Out

    private func pass(_ bytes: RawSpan) throws(CaptureError) {
        let frames = room(for: UInt64(bytes.byteCount / format.bytesPerFrame))
        guard frames > 0 else { return }
        let kept = bytes.extracting(first: Int(frames) * format.bytesPerFrame)
        keepTail(kept)
        taken += try put(kept, frames: frames)
    }

    private func pull(step: Double) throws(CaptureError) {
        let most = Int(clamping: room(for: UInt64(Int64.max)))
        guard let frames = resampler?.pull(step: step, most: most, into: &resampled), frames > 0 else { return }
        let resampled = resampled
        let kept = try put(resampled.span.bytes, frames: UInt64(frames))
        // Where the clip has ended before, what these were made of is not in it.
        taken -= min(taken, UInt64((Double(UInt64(frames) - kept) * step).rounded()))
    }

    /// - Returns: how many of them belong to the clip: all, but where it ends with them because it is quiet.
    private func put(_ bytes: RawSpan, frames: UInt64) throws(CaptureError) -> UInt64 {
        guard let kept = watch?.listen(bytes) else {
            try writer.write(bytes, to: track, at: nanoseconds)
            written += frames
            return frames
        }
        try writer.write(bytes.extracting(first: kept * format.bytesPerFrame), to: track, at: nanoseconds)
        written += UInt64(kept)
        if watch?.isOver == true { target = written }
        return UInt64(kept)
    }

    /// From the clip's start to the end of what is written.
    var nanoseconds: Int64 { SoundTime(rate: format.sampleRate).nanoseconds(written) }

    private func beginResampling() {
        if resampler == nil { resampler = Resampler(format) }
        resampler?.begin(after: tail.span.bytes)
        isResampling = true
    }

    private func keepTail(_ bytes: RawSpan) {
        let new = min(bytes.byteCount, tail.count)
        bytes.withUnsafeBytes { bytes in
            tail.withUnsafeMutableBytes { tail in
                let old = UnsafeRawBufferPointer(rebasing: tail[new...])
                UnsafeMutableRawBufferPointer(rebasing: tail[..<old.count]).copyMemory(from: old)
                let last = UnsafeRawBufferPointer(rebasing: bytes[(bytes.count - new)...])
                UnsafeMutableRawBufferPointer(rebasing: tail[old.count...]).copyMemory(from: last)
            }
        }
    }
}
