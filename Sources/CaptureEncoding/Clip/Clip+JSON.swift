import CaptureGate

extension Clip {
    /// JSON on one line (RFC 8259).
    public var json: String {
        JSONText.members([
            ("path", .string(path)), ("format", .string(format.rawValue)),
            ("duration_ns", .integer(durationNanoseconds)), ("bytes", .integer(bytes)),
            ("tracks", .array(tracks.map(\.jsonText))), ("ledger", ledger.jsonText), ("end", .string(end.rawValue)),
            ("segments", segments.isEmpty ? nil : .array(segments.map(\.jsonText))),
            ("tees", tees.isEmpty ? nil : .array(tees.map(\.jsonText))),
        ]).rendered
    }
}

extension ClipTee {
    var jsonText: JSONText {
        .members([
            ("path", .string(path)), ("format", .string(format.rawValue)),
            ("duration_ns", .integer(durationNanoseconds)), ("bytes", .integer(bytes)), ("end", .string(end.rawValue)),
            ("error", error.map { .string($0.message) }), ("ledger", ledger.jsonText),
            ("segments", segments.isEmpty ? nil : .array(segments.map(\.jsonText))),
        ])
    }

    /// JSON on one line (RFC 8259).
    public var json: String { jsonText.rendered }
}

extension ClipSegment {
    var jsonText: JSONText {
        .object([
            ("path", .string(path)), ("start_ns", .integer(startNanoseconds)),
            ("duration_ns", .integer(durationNanoseconds)), ("bytes", .integer(bytes)),
        ])
    }

    /// JSON on one line (RFC 8259).
    public var json: String { jsonText.rendered }
}

extension LossLedger {
    var jsonText: JSONText { .object([("tracks", .array(tracks.map(\.jsonText)))]) }
}

extension TrackLedger {
    var jsonText: JSONText {
        .members([
            ("kind", .string(kind.rawValue)), ("name", .string(name)), ("device", .string(device)),
            ("asked", .count(asked)), ("delivered", .count(delivered)), ("lost", lost.jsonText),
            ("xruns", .count(xruns)), ("filled", .count(filled)), ("corrected", .integer(corrected)),
            ("repaired", .count(repaired)), ("priority", priority.map(JSONText.string)),
            ("start_offset_ns", .integer(startOffsetNanoseconds)), ("drift_ppm", driftPPM.map(JSONText.number)),
            ("drift_uncertainty_ppm", driftUncertaintyPPM.map(JSONText.number)),
            ("end_offset_ns", endOffsetNanoseconds.map(JSONText.integer)),
            ("first_ns", firstNanoseconds.map(JSONText.integer)), ("last_ns", lastNanoseconds.map(JSONText.integer)),
            ("marks", marks.map { .array($0.map(\.jsonText)) }),
        ])
    }
}

extension LossEvent {
    var jsonText: JSONText { .object([("at_ns", .integer(atNanoseconds)), ("frames", .count(frames))]) }
}

extension LostFrames {
    var jsonText: JSONText {
        .object([
            ("device", .count(device)), ("ring", .count(ring)), ("corrupt", .count(corrupt)), ("empty", .count(empty)),
            ("short", .count(short)), ("xrun", .count(xrun)), ("stall", .count(stall)), ("suspend", .count(suspend)),
            ("encoder", .count(encoder)), ("no_signal", .count(noSignal)), ("covered", .count(covered)),
        ])
    }
}

extension ClipTrack {
    var jsonText: JSONText {
        .members([
            ("kind", .string(kind.rawValue)), ("name", .string(name)), ("device", .string(device)),
            ("audio", audio?.jsonText), ("video", video?.jsonText),
        ])
    }
}

extension AudioFormat {
    fileprivate var jsonText: JSONText {
        .object([
            ("sample_rate", .integer(Int64(sampleRate))), ("channels", .integer(Int64(channels))),
            ("sample_format", .string(sampleFormat.rawValue)),
        ])
    }
}

extension VideoFormat {
    fileprivate var jsonText: JSONText {
        .members([
            ("width", .integer(Int64(width))), ("height", .integer(Int64(height))),
            ("pixel_format", .string(pixelFormat.description)), ("frame_rate", .string(frameRate.description)),
            ("colorimetry", colorimetry.jsonText), ("field_order", .string(fieldOrder.rawValue)),
            ("pixel_aspect", pixelAspect.map { .string($0.description) }),
        ])
    }
}

extension Colorimetry {
    fileprivate var jsonText: JSONText {
        .object([
            ("primaries", .string(primaries.rawValue)), ("transfer", .string(transfer.rawValue)),
            ("matrix", .string(matrix.rawValue)), ("range", .string(range.rawValue)),
        ])
    }
}
