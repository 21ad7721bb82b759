import CaptureBase

extension Clip {
    /// JSON on one line (RFC 8259).
    public var json: String {
        JSONValue.members([
            ("path", .string(path)), ("format", .string(format.rawValue)),
            ("duration_ns", .nanoseconds(duration)), ("bytes", .integer(bytes)),
            ("tracks", .array(tracks.map(\.jsonValue))), ("ledger", ledger.jsonValue), ("end", .string(end.rawValue)),
            ("segments", segments.isEmpty ? nil : .array(segments.map(\.jsonValue))),
            ("tees", tees.isEmpty ? nil : .array(tees.map(\.jsonValue))),
        ]).text
    }
}

extension ClipTee {
    var jsonValue: JSONValue {
        .members([
            ("path", .string(path)), ("format", .string(format.rawValue)),
            ("duration_ns", .nanoseconds(duration)), ("bytes", .integer(bytes)), ("end", .string(end.rawValue)),
            ("error", error.map { .string($0.message) }), ("ledger", ledger.jsonValue),
            ("segments", segments.isEmpty ? nil : .array(segments.map(\.jsonValue))),
        ])
    }

    /// JSON on one line (RFC 8259).
    public var json: String { jsonValue.text }
}

extension ClipSegment {
    var jsonValue: JSONValue {
        .object([
            ("path", .string(path)), ("start_ns", .nanoseconds(start)),
            ("duration_ns", .nanoseconds(duration)), ("bytes", .integer(bytes)),
        ])
    }

    /// JSON on one line (RFC 8259).
    public var json: String { jsonValue.text }
}

extension LossLedger {
    var jsonValue: JSONValue {
        .members([
            ("tracks", .array(tracks.map(\.jsonValue))),
            ("pauses", pauses.isEmpty ? nil : .array(pauses.map(\.jsonValue))),
        ])
    }
}

extension ClipPause {
    var jsonValue: JSONValue {
        .object([("at_ns", .integer(atNanoseconds)), ("length_ns", .integer(lengthNanoseconds))])
    }
}

extension TrackLedger {
    var jsonValue: JSONValue {
        .members([
            ("kind", .string(kind.rawValue)), ("name", .string(name)), ("device", .string(device)),
            ("asked", .count(asked)), ("delivered", .count(delivered)), ("lost", lost.jsonValue),
            ("xruns", .count(xruns)), ("filled", .count(filled)), ("corrected", .integer(corrected)),
            ("repaired", .count(repaired)), ("priority", priority.map { .string($0.description) }),
            ("start_offset_ns", .integer(startOffsetNanoseconds)), ("drift_ppm", driftPPM.map(JSONValue.number)),
            ("drift_uncertainty_ppm", driftUncertaintyPPM.map(JSONValue.number)),
            ("end_offset_ns", endOffsetNanoseconds.map(JSONValue.integer)),
            ("first_ns", firstNanoseconds.map(JSONValue.integer)), ("last_ns", lastNanoseconds.map(JSONValue.integer)),
            ("marks", marks.map { .array($0.map(\.jsonValue)) }),
        ])
    }
}

extension LossEvent {
    var jsonValue: JSONValue { .object([("at_ns", .integer(atNanoseconds)), ("frames", .count(frames))]) }
}

extension LostFrames {
    var jsonValue: JSONValue {
        .object([
            ("device", .count(device)), ("ring", .count(ring)), ("corrupt", .count(corrupt)), ("empty", .count(empty)),
            ("short", .count(short)), ("xrun", .count(xrun)), ("stall", .count(stall)), ("suspend", .count(suspend)),
            ("encoder", .count(encoder)), ("no_signal", .count(noSignal)), ("covered", .count(covered)),
            ("key_frame", .count(keyFrame)),
        ])
    }
}

extension ClipTrack {
    var jsonValue: JSONValue {
        .members([
            ("kind", .string(kind.rawValue)), ("name", .string(name)), ("device", .string(device)),
            ("audio", audio?.jsonValue), ("video", video?.jsonValue),
        ])
    }
}

extension AudioFormat {
    fileprivate var jsonValue: JSONValue {
        .object([
            ("sample_rate", .integer(Int64(sampleRate))), ("channels", .integer(Int64(channels))),
            ("sample_format", .string(sampleFormat.rawValue)),
        ])
    }
}

extension VideoFormat {
    fileprivate var jsonValue: JSONValue {
        .members([
            ("width", .integer(Int64(width))), ("height", .integer(Int64(height))),
            ("pixel_format", .string(pixelFormat.description)), ("frame_rate", .string(frameRate.description)),
            ("colorimetry", colorimetry.jsonValue), ("field_order", .string(fieldOrder.rawValue)),
            ("pixel_aspect", pixelAspect.map { .string($0.description) }),
        ])
    }
}

extension Colorimetry {
    fileprivate var jsonValue: JSONValue {
        .object([
            ("primaries", .string(primaries.rawValue)), ("transfer", .string(transfer.rawValue)),
            ("matrix", .string(matrix.rawValue)), ("range", .string(range.rawValue)),
        ])
    }
}
