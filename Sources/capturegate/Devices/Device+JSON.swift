import CaptureGate

extension Device {
    /// Device for programs. "inputs" is present for capture cards only; all other members are always present.
    var json: JSONValue {
        .object(
            [
                ("id", .string(id.rawValue)), ("name", .string(name)), ("capability", .string(capability.rawValue)),
            ] + availability.json + [
                ("ambiguity", .optional(ambiguity)), ("nodes", .strings(nodes)), ("built_in", .bool(isBuiltIn)),
                ("colorimetry", colorimetry?.json ?? .null), ("formats", formats.json),
            ] + (inputs.isEmpty ? [] : [("inputs", .array(inputs.map(\.json)))]))
    }

    /// Reason why the current input has no usable signal; `nil` if there is a signal.
    var signalPhrase: String? {
        inputs.first { $0.isCurrent && $0.signal != .present }.map { "input \($0.name.visible) \($0.signal.phrase)" }
    }
}

extension Device.Formats {
    /// One entry per pixel format and frame size, or a single one with a microphone's ranges.
    var json: JSONValue {
        switch self {
        case .unknown: []
        case .video(let modes): .array(modes.map(\.json))
        case .audio(let ranges): [ranges.json]
        }
    }

    /// Best format in a few words: the largest size with its highest rate, and the codes on offer.
    var phrase: String {
        switch self {
        case .unknown:
            return "formats unknown: the device is in use, you can't open it, or it reports them only when open"
        case .audio(let ranges):
            return "\(Self.range(ranges.sampleRates)) Hz, \(Self.range(ranges.channels)) channels"
        case .video(let modes):
            // In the driver's order, each once: several sizes share a pixel format.
            let codes = modes.reduce(into: [String]()) { codes, mode in
                if !codes.contains(mode.pixelFormat.description) { codes.append(mode.pixelFormat.description) }
            }
            guard let largest = modes.max(by: { $0.width * $0.height < $1.width * $1.height }) else { return "none" }
            let rate = largest.frameRates.first.map { " at \($0.phrase) fps" } ?? ""
            return "up to \(largest.width)x\(largest.height)\(rate); \(Self.shortened(codes))"
        }
    }

    /// First six codes, which fit a line; `--json` has all.
    private static func shortened(_ codes: [String]) -> String {
        codes.prefix(6).joined(separator: ", ") + (codes.count > 6 ? " and \(codes.count - 6) more" : "")
    }

    /// Range as "8000 to 48000", or its only value.
    static func range(_ range: ClosedRange<Int>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }
}

extension VideoMode {
    /// Mode for programs; "smaller" and "takes_rates_between" appear only if a driver offers steps or
    /// continuous ranges (VIDIOC_ENUM_FRAMESIZES).
    fileprivate var json: JSONValue {
        .object(
            [
                ("pixel_format", .string(pixelFormat.description)), ("width", .count(width)),
                ("height", .count(height)),
            ] + (smaller.map { [("smaller", $0.json)] } ?? []) + [
                ("frame_rates", .strings(frameRates.map(\.description)))
            ] + (takesRatesBetween ? [("takes_rates_between", .bool(true))] : []))
    }
}

extension SizeSteps {
    /// Smallest size and steps of a stepwise range.
    fileprivate var json: JSONValue {
        [
            "width": .count(width), "height": .count(height), "width_step": .count(widthStep),
            "height_step": .count(heightStep),
        ]
    }
}

extension AudioRanges {
    /// Ranges, not lists: ALSA negotiates within them (snd_pcm_hw_params).
    fileprivate var json: JSONValue {
        [
            "sample_rates": ["min": .count(sampleRates.lowerBound), "max": .count(sampleRates.upperBound)],
            "channels": ["min": .count(channels.lowerBound), "max": .count(channels.upperBound)],
            "sample_formats": .strings(sampleFormats.map(\.rawValue)),
        ]
    }
}

extension VideoInput {
    /// Input of a capture card, with what may be chosen on it.
    fileprivate var json: JSONValue {
        [
            "index": .count(index), "name": .string(name), "current": .bool(isCurrent), "signal": .string(signal.word),
            "timings": .optional(timings?.description), "standards": .strings(standards.map(\.description)),
            "takes_timings": .strings(takes.map(\.description)),
        ]
    }
}

extension Availability {
    /// Availability for people, with the holder if the kernel shows it. Other users' processes are hidden
    /// from all but root.
    var phrase: String {
        switch self {
        case .available: "free"
        case .absent: "not found"
        case .busy(let holder):
            holder.map { "busy: \($0.command.visible), process \($0.processID)" } ?? "busy: used by a hidden process"
        }
    }

    /// Members for programs, spread into the device's object.
    var json: [(String, JSONValue)] {
        var holder = JSONValue.null
        if case .busy(let process?) = self {
            holder = ["pid": .count(process.processID), "command": .string(process.command)]
        }
        return [("available", .bool(isAvailable)), ("busy_holder", holder)]
    }
}

extension Colorimetry {
    /// Colorimetry for programs, with the words of the library's cases; part of a format wherever one is
    /// described.
    var json: JSONValue {
        [
            "primaries": .string(primaries.rawValue), "transfer": .string(transfer.rawValue),
            "matrix": .string(matrix.rawValue), "range": .string(range.rawValue),
        ]
    }
}
