import CaptureEncoding
import CaptureGate

/// Output of one microphone into the clip: its audio bit by bit, or resampled, or silence.
///
/// It counts in frames of the clip. Audio for which the clip has no space, or after its end in silence, is dropped.
///
/// *session-bound*
final class AudioTrackWriter {
    let format: AudioFormat
    private let writer: any ClipWriter
    private let track: Int
    /// Frames that the clip is to have; `nil` until it is stopped.
    private var target: UInt64?
    private var silenceMeter: SilenceMeter?

    /// Frames in the clip.
    private(set) var written: UInt64 = 0
    /// Frames of silence among them.
    private(set) var filled: UInt64 = 0
    /// Frames of the device that are in the clip or in the resampler.
    private var taken: UInt64 = 0

    /// Last frames that came in. The resampler begins with them, so that there is no seam.
    private var tail: [UInt8]
    private var resampler: Resampler?
    private var isResampling = false
    private var resampled: [UInt8] = []
    /// Source of the silence that is written, a piece at a time.
    private let silence: [UInt8]

    private static let silentFrames = 1024

    /// - Parameters:
    ///   - format: of the device, and of the clip's track.
    ///   - writer: of the clip.
    ///   - track: index in the clip.
    ///   - target: frames that the clip is to have; `nil` until it is stopped.
    ///   - silenceMeter: ends the track where the recording is quiet; `nil` if nothing does.
    init(
        _ format: AudioFormat, to writer: any ClipWriter, as track: Int, target: UInt64?,
        silenceMeter: SilenceMeter? = nil
    ) {
        self.format = format
        self.writer = writer
        self.track = track
        self.target = target
        self.silenceMeter = silenceMeter
        tail = [UInt8](repeating: 0, count: SincTable.half * format.bytesPerFrame)
        silence = [UInt8](repeating: 0, count: Self.silentFrames * format.bytesPerFrame)
    }

    var isFull: Bool { target.map { written >= $0 } ?? false }

    /// Ends the clip's track with fewer frames than it was to have, but not with fewer than it has.
    func limit(to frames: UInt64) { target = min(target ?? .max, max(written, frames)) }

    /// Frames of a number that the clip still has room for.
    func room(for frames: UInt64) -> UInt64 {
        target.map { min(frames, $0 - min($0, written)) } ?? frames
    }

    /// Frames of the device that are in the clip.
    var delivered: UInt64 {
        taken - UInt64(max(0, pending.rounded(.down)))
    }

    /// Frames that the clip has more through resampling; fewer where negative.
    var corrected: Int64 { Int64(written) - Int64(filled) - Int64(delivered) }

    /// Frames in the resampler.
    var pending: Double { isResampling ? resampler?.pending ?? 0 : 0 }

    /// Place of the next frame that comes in, in frames from the clip's start.
    func nextFrame(step: Double) -> Double { Double(written) + max(0, pending) / step }

    // MARK: In

    /// Writes audio of the device.
    /// - Parameters:
    ///   - bytes: whole frames.
    ///   - step: frames of the device for one of the clip; `nil` passes them bit for bit.
    func write(_ bytes: RawSpan, step: Double?) throws(CaptureError) {
        guard let step else { return try pass(bytes) }
        if !isResampling { beginResampling() }
        resampler?.push(bytes)
        taken += UInt64(bytes.byteCount / format.bytesPerFrame)
        keepTail(bytes)
        try pull(step: step)
    }

    /// Writes the contents of the resampler; the next audio does not continue it.
    func flush(step: Double) throws(CaptureError) {
        guard isResampling else { return }
        resampler?.pushEnd()
        try pull(step: step)
        // At the clip's end some of it may have found no room.
        taken = delivered
        isResampling = false
    }

    /// Writes silence, as far as the clip has room.
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
        // Frames past the clip's end are not in it, and neither are those that they were made of.
        taken -= min(taken, UInt64((Double(UInt64(frames) - kept) * step).rounded()))
    }

    /// - Returns: frames that belong to the clip: all of them, unless it ends in them because it is quiet.
    private func put(_ bytes: RawSpan, frames: UInt64) throws(CaptureError) -> UInt64 {
        guard let kept = silenceMeter?.listen(bytes) else {
            try writer.write(bytes, to: track, at: nanoseconds)
            written += frames
            return frames
        }
        try writer.write(bytes.extracting(first: kept * format.bytesPerFrame), to: track, at: nanoseconds)
        written += UInt64(kept)
        if silenceMeter?.isOver == true { target = written }
        return UInt64(kept)
    }

    /// Time from the clip's start to the end of the written audio, nanoseconds.
    var nanoseconds: Int64 { SampleClock(rate: format.sampleRate).nanoseconds(Int64(written)) }

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
