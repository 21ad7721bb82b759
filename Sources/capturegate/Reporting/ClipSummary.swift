import CaptureGate
import CaptureRecording

/// Finished clip in a few lines: one for the file, one per track, one per further output.
struct ClipSummary {
    let clip: Clip

    /// Lines in the order of the clip's tracks.
    var lines: [String] {
        let size = clip.bytes > 0 ? ", \(NumberText.bytes(clip.bytes))" : ""
        let time = NumberText.time(clip.duration)
        return ["\(Self.name(clip.path, clip.segments)): \(time)\(size)\(pauses), \(clip.end.phrase)"]
            + zip(clip.tracks, clip.ledger.tracks).map { "  " + Self.line($0, $1, clip.format) }
            + clip.tees.map(Self.line)
    }

    /// Number and total length of the pauses.
    private var pauses: String {
        let pauses = clip.ledger.pauses
        guard !pauses.isEmpty else { return "" }
        let time = pauses.reduce(Duration.zero) { $0 + $1.length }
        return ", \(NumberText.counted(UInt64(pauses.count), "pause")) of \(NumberText.time(time))"
    }

    /// Line about a finished file of several.
    static func line(_ part: ClipSegment) -> String {
        "\(place(part.path)): \(NumberText.time(part.duration)), \(NumberText.bytes(part.bytes))"
    }

    /// Line about a loss in a track.
    static func line(_ track: ClipTrack, _ mark: LossEvent) -> String {
        let lost = NumberText.counted(mark.frames, track.kind == .video ? "frame" : "sample")
        return "\(NumberText.time(mark.at)): \(lost) lost by \(track.name.visible)"
    }

    /// Line about a signal that is lost, or has returned.
    static func line(_ track: ClipTrack, _ signal: SignalState, at time: Duration) -> String {
        let loss = signal == .present ? "" : "; its frames count as lost"
        return "\(NumberText.time(time)): \(track.name.visible) \(signal.phrase)\(loss)"
    }

    /// Line about a pause, or its end.
    static func line(_ isPaused: Bool, at time: Duration) -> String {
        "\(NumberText.time(time)): \(isPaused ? "paused" : "resumed")"
    }

    /// Line about a chapter.
    static func line(_ chapter: ClipChapter) -> String {
        "\(NumberText.time(chapter.at)): \(chapter.title.visible)"
    }

    /// Line about an output that failed while others continue.
    static func line(_ failure: OutputFailure) -> String {
        "\(place(failure.path)) failed and ends here: \(failure.error.message.visible)"
    }

    /// Line about a further output.
    private static func line(_ tee: ClipTee) -> String {
        let time = NumberText.time(tee.duration)
        let reason = tee.error.map(\.message.visible) ?? tee.end.phrase
        let files = name(tee.path, tee.segments)
        return "\(files): \(time), \(NumberText.bytes(tee.bytes))\(encoderLosses(tee.ledger, tee.format)), \(reason)"
    }

    /// Frames that this output's encoder dropped. Losses of the devices are the same in every output, so only the first one shows
    /// them.
    private static func encoderLosses(_ ledger: LossLedger, _ format: ClipFormat) -> String {
        let lost = ledger.tracks.reduce(0) { $0 + $1.lost.encoder }
        return lost == 0 ? "" : ", \(NumberText.counted(lost, "frame")) lost \(tooSlow(format))"
    }

    /// Part that was too slow, so that waiting frames were dropped.
    private static func tooSlow(_ format: ClipFormat) -> String {
        format == .v4l2 ? "by the output, which was full" : "by the encoder, which was too slow"
    }

    /// Name of a file, or of the first and last of several.
    private static func name(_ path: String, _ parts: [ClipSegment]) -> String {
        guard let first = parts.first, let last = parts.last, path != "null:" else { return place(path) }
        let files = parts.count == 1 ? "" : " to \(last.path.visible) (\(parts.count) files)"
        return first.path.visible + files
    }

    /// Name of a destination; `-` and `null:` would look like odd file names.
    private static func place(_ path: String) -> String {
        switch path {
        case "-": "standard output"
        case "null:": "discarded"
        default: path.visible
        }
    }

    /// Line about a track, by its ledger: delivered frames, losses by cause, xruns, repairs, clock.
    private static func line(_ track: ClipTrack, _ ledger: TrackLedger, _ format: ClipFormat) -> String {
        let delivered = NumberText.counted(ledger.delivered, track.kind == .video ? "frame" : "sample")
        var parts = [delivered, lost(ledger, format)]
        // Shown for audio even if 0: people look for xruns first.
        if track.kind == .audio { parts.append(NumberText.counted(ledger.xruns, "xrun")) }
        if ledger.filled > 0 { parts.append("\(ledger.filled) filled in") }
        if ledger.repaired > 0 { parts.append("\(ledger.repaired) repaired") }
        parts += clock(ledger)
        return "\(track.phrase): \(parts.joined(separator: ", "))"
    }

    /// Drift of the device's clock, and the offset that remained.
    private static func clock(_ ledger: TrackLedger) -> [String] {
        guard let drift = ledger.driftPPM else { return [] }
        // Without its uncertainty a drift after ten seconds would look as firm as one after an hour.
        let unsure = ledger.driftUncertaintyPPM.map { " ±\(NumberText.fixed($0, 1))" } ?? ""
        let said = "drift \(NumberText.fixed(drift, 1))\(unsure) ppm"
        let corrected = ledger.corrected == 0 ? said : "\(said), corrected"
        return [corrected] + endOffset(ledger)
    }

    /// Offset of audio and video up to which nobody notices it, nanoseconds: EBU R 37 allows audio to be 40
    /// ms ahead.
    private static let offsetTolerance: Int64 = 40_000_000

    /// Remark about an offset at the end of the clip; empty if it is too small to be noticed.
    private static func endOffset(_ ledger: TrackLedger) -> [String] {
        guard let offset = ledger.endOffsetNanoseconds, abs(offset) > offsetTolerance else { return [] }
        let way = offset > 0 ? "behind" : "ahead"
        return [
            "\(abs(offset) / 1_000_000) ms \(way) at the end, because its clock differs too much to be corrected"
        ]
    }

    /// Losses by cause. Causes without losses are omitted: a list of zeros hides the one that matters.
    private static func lost(_ ledger: TrackLedger, _ format: ClipFormat) -> String {
        let lost = ledger.lost
        let causes: [(UInt64, String)] = [
            (lost.device, "by the device"), (lost.ring, "too slow"), (lost.corrupt, "corrupt"), (lost.empty, "empty"),
            (lost.short, "short"), (lost.xrun, "by xruns"), (lost.stall, "in a stall"),
            (lost.suspend, "while suspended"),
            (lost.encoder, tooSlow(format)), (lost.noSignal, "without a signal"),
            (lost.covered, "with the shutter closed"), (lost.keyFrame, "before a key frame"),
        ]
        let said = causes.filter { $0.0 > 0 }.map { "\($0) \($1)" }.joined(separator: ", ")
        return said.isEmpty ? "none lost" : "\(lost.total) lost (\(said))"
    }
}

extension ClipTrack {
    /// Track in words: `video 1280x720 YUYV at 30 fps from HD Webcam`.
    var phrase: String {
        switch media {
        case .video(let format):
            "video \(format.width)x\(format.height) \(format.pixelFormat) at \(format.frameRate.phrase) fps from "
                + name.visible
        case .audio(let format):
            "audio \(format.sampleRate) Hz, \(NumberText.counted(format.channels, "channel")), "
                + "\(format.sampleFormat.rawValue) from \(name.visible)"
        }
    }
}
