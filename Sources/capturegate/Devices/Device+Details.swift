import CaptureGate

extension Device {
    /// Name of the device in other programs: a camera's node, a
    /// microphone's name for libasound; empty for a built-in device.
    var systemName: String { pcmName ?? nodes.first ?? "" }

    /// Lines about all that a device can deliver.
    func details(_ style: TextStyle) -> [String] {
        var rows = [["id", id.rawValue.visible]]
        if !nodes.isEmpty { rows.append(["node", nodes.map(\.visible).joined(separator: ", ")]) }
        if let pcmName { rows.append(["ALSA", pcmName.visible]) }
        rows.append(["state", availability.phrase])
        if let ambiguity { rows.append(["note", ambiguity.visible]) }
        rows += inputs.map { ["input", $0.phrase] } + formats.rows
        return [style.bold(name.visible)] + Self.lines(rows).map { "  " + $0 }
    }

    /// Lines of rows. A word that several rows share is shown once, before the first of them.
    private static func lines(_ rows: [[String]]) -> [String] {
        Table(rows: rows.indices.map { $0 > 0 && rows[$0][0] == rows[$0 - 1][0] ? ["", rows[$0][1]] : rows[$0] }).lines
    }
}

extension Device {
    /// Limit on the rows of formats in an error; the device's listing has all of them.
    private static let mostOffers = 12

    /// Lines with the formats that the device offers, if the error says that it can't do the requested one.
    ///
    /// - Returns: nothing for other errors, and if the device can't be queried.
    static func offers(insteadOf error: CaptureError) -> [String] {
        let named = error.remedies.lazy.compactMap { remedy -> String? in
            if case .listFormats(let device) = remedy.action { device } else { nil }
        }
        guard error.kind == .notAsAsked, let id = named.first.map({ DeviceID(rawValue: $0) }),
            let device = [.camera, .microphone].lazy.compactMap({ try? DeviceCatalog.device(id, $0).asked() }).first
        else { return [] }
        let rows = device.formats.rows
        let rest = rows.count > mostOffers ? ["and \(rows.count - mostOffers) more"] : []
        return lines(Array(rows.prefix(mostOffers))) + rest
    }
}

extension Device.Formats {
    /// Rows of a word and its meaning: one per mode of a camera, or a microphone's ranges.
    fileprivate var rows: [[String]] {
        switch self {
        case .unknown: return [["formats", phrase]]
        case .audio(let ranges):
            return [
                ["rates", "\(Self.range(ranges.sampleRates)) Hz"], ["channels", Self.range(ranges.channels)],
                ["samples", ranges.sampleFormats.map(\.rawValue).joined(separator: ", ")],
            ]
        case .video(let modes):
            guard !modes.isEmpty else { return [["modes", "none"]] }
            let codes = modes.map(\.pixelFormat.description.visible)
            let cells = modes.indices.map { index in
                [
                    index > 0 && codes[index - 1] == codes[index] ? "" : codes[index], modes[index].sizes,
                    modes[index].rates,
                ]
            }
            return Table(rows: cells).lines.map { ["modes", $0] }
        }
    }
}

extension VideoMode {
    /// The size, or the range of sizes.
    fileprivate var sizes: String {
        guard let smaller else { return "\(width)x\(height)" }
        return "\(smaller.width)x\(smaller.height) to \(width)x\(height) by \(smaller.widthStep)x\(smaller.heightStep)"
    }

    /// Frame rates, fastest first.
    fileprivate var rates: String {
        guard let first = frameRates.first, let last = frameRates.last else { return "rate unknown" }
        if takesRatesBetween { return "any rate from \(last.phrase) to \(first.phrase) fps" }
        return frameRates.map(\.phrase).joined(separator: ", ") + " fps"
    }
}

extension VideoInput {
    /// The input with its signal, and the standards or timings that it can be set to.
    fileprivate var phrase: String {
        let choices = standards.map(\.description) + takes.map(\.description)
        let state = isCurrent ? "selected, \(signal.phrase)" : signal.phrase
        let list = choices.isEmpty ? "" : "; takes \(choices.map(\.visible).joined(separator: ", "))"
        return "\(index) \(name.visible): \(state)\(list)"
    }
}
