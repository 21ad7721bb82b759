import CaptureBase

/// Writer that shows one camera's frames on an output, such as a virtual camera, and keeps none.
///
/// A frame for which the output has no space at once is dropped and counted, so no viewer can delay it. A frame that replaces
/// missing ones is shown once.
///
/// *session-bound*
package final class FrameOutputWriter: ClipWriter {
    package let format = ClipFormat.v4l2
    package let tracks: [ClipTrack]
    package private(set) var bytesWritten: Int64 = 0
    package private(set) var failure: CaptureError?
    private let output: any FrameOutput
    private let fitter: FrameFitter
    private let moments: CaptureMoments
    private var counted = EncoderCounts()
    /// Time of the last frame's end in the clip, nanoseconds.
    private var end: Int64 = 0

    /// Sets the output to what the camera delivers, or to what can be made of it.
    /// - Parameters:
    ///   - output: not begun.
    ///   - tracks: one of video.
    ///   - moments: times of the capture.
    /// - Throws: `.usage` for other tracks; `.notAsAsked` for a format or a size that the output does not take, with what it
    ///   does; `.busy`. The output is ended then.
    package init(_ output: any FrameOutput, tracks: [ClipTrack], moments: CaptureMoments) throws(CaptureError) {
        self.output = output
        self.tracks = tracks
        self.moments = moments
        do throws(CaptureError) {
            try ClipFormat.v4l2.check(tracks.map(\.kind))
            fitter = try Self.fitter(output, tracks[0])
        } catch {
            output.end(isNormal: false)
            throw error
        }
    }

    private static func fitter(_ output: any FrameOutput, _ track: ClipTrack) throws(CaptureError) -> FrameFitter {
        guard let source = track.video, let code = FrameFitter.choice(for: source, among: output.pixelFormats) else {
            throw takesNone(output, track)
        }
        let isSame = FrameFitter.isSame(source.pixelFormat, code)
        let target = try output.begin(source.packed(as: code, isSame ? nil : converted(source, code)))
        return try FrameFitter(from: source, to: target)
    }

    /// Colorimetry of frames that are converted.
    private static func converted(_ source: VideoFormat, _ code: PixelFormat) -> Colorimetry {
        if code.isJPEG { return source.colorimetry.asJPEG }
        return YUV420Converter(source, isLimited: true)?.colorimetry ?? source.colorimetry
    }

    private static func takesNone(_ output: any FrameOutput, _ track: ClipTrack) -> CaptureError {
        let list = output.pixelFormats.map(\.description).joined(separator: ", ")
        return CaptureError(
            .notAsAsked,
            "\(output.path) takes no format that \(track.video?.pixelFormat.description ?? "none") can be converted to: "
                + (list.isEmpty ? "it reports no formats." : "it takes \(list)."),
            remedies: [Remedy("Choose one of these with --pixel-format.")])
    }

    package func counts(of track: Int) -> EncoderCounts { counted }

    package func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        try checkTrack(track)
        if let failure { throw failure }
        do throws(CaptureError) {
            try show(data, at: moments.moment(of: nanoseconds))
        } catch {
            failure = error
            throw error
        }
        end = max(end, nanoseconds + tracks[track].nanoseconds(ofFrames: 1))
    }

    private func show(_ data: RawSpan, at moment: Int64) throws(CaptureError) {
        guard fitter.isWhole(data) else {
            counted.skipped += 1
            return
        }
        if fitter.passes {
            let isTaken = try data.withUnsafeBytes { (bytes) throws(CaptureError) in
                try output.pass(bytes, at: moment)
            }
            return count(isTaken, data.byteCount)
        }
        guard let room = try output.room() else { return count(false, 0) }
        let made = try fitter.fit(data, into: room)
        guard made > 0 else {
            counted.skipped += 1
            return
        }
        count(try output.put(made, at: moment), made)
    }

    private func count(_ isTaken: Bool, _ bytes: Int) {
        guard isTaken else {
            counted.late += 1
            return
        }
        counted.frames += 1
        counted.packets += 1
        counted.bytes += UInt64(bytes)
        bytesWritten += Int64(bytes)
    }

    package func fill(_ data: RawSpan, to track: Int, at nanoseconds: Int64, times: Int) throws(CaptureError) {
        if times > 0 { try write(data, to: track, at: nanoseconds) }
    }

    package func extend(to nanoseconds: Int64) { end = max(end, nanoseconds) }

    package func finish(ledger: LossLedger, end reason: EndReason) -> Clip {
        fitter.end()
        output.end(isNormal: failure == nil)
        return Clip(
            path: ClipDestination.videoOutput(path: output.path).description, format: format,
            duration: .nanoseconds(end), bytes: bytesWritten, tracks: tracks, ledger: ledger,
            end: failure.map { EndReason(ofOutput: $0) } ?? reason)
    }

    package func discard() {
        fitter.end()
        output.end(isNormal: false)
    }
}

extension FrameOutput {
    /// True if a camera's frames can be shown, unchanged or converted here.
    /// - Parameter format: format of the camera's frames.
    package func takes(_ format: VideoFormat) -> Bool {
        FrameFitter.choice(for: format, among: pixelFormats) != nil
    }
}
