import CaptureBase

/// Words and groups that the formats for other programs share.
///
/// *thread-safe*
enum RigWords {
    /// Number for people, with at most six significant digits, and no point if it is whole.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "?" }
        if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
        guard abs(value) >= 1e-9, abs(value) < 1e6 else { return String(value) }
        // A loop instead of a logarithm: it is exact, and needs no C library.
        var scale = 1.0
        while abs(value) * scale < 100_000 { scale *= 10 }
        let rounded = (value * scale).rounded() / scale
        return rounded == rounded.rounded() ? String(Int64(rounded)) : String(rounded)
    }

    /// A number with its unit.
    static func quantity(_ value: Double, _ unit: String) -> String {
        unit.isEmpty ? number(value) : "\(number(value)) \(unit.visible)"
    }

    /// A word of letters, digits, points, hyphens and underscores, for formats that separate words by blanks; other
    /// scalars become underscores.
    static func identifier(_ text: String) -> String {
        let word = String(String.UnicodeScalarView(text.unicodeScalars.map { isPlain($0) ? $0 : "_" }))
        return word.isEmpty ? "_" : word
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": true
        default: false
        }
    }

    /// Results of one device, in the order in which they came.
    struct Suite {
        /// `capturegate.` and the device's name in the plan, or `host`: the prefix keeps it apart from every result's
        /// name, since readers of nested TAP take a result of the suite's name for its end.
        var name: String
        /// `nil` for checks of the host, such as those of the gate.
        var device: RigDevice?
        var results: [CheckResult]

        /// Time of all its results; those of parallel groups overlap, and count as often.
        var seconds: Double { results.reduce(0) { $0 + max(0, $1.seconds) } }

        /// Number of results whose verdict matches.
        func count(_ matches: (Verdict) -> Bool) -> Int { results.count { matches($0.verdict) } }
    }
}

extension RigReport {
    /// The results by device, in the order in which the devices first came.
    var suites: [RigWords.Suite] {
        results.grouped { "capturegate.\(RigWords.identifier($0.device?.name ?? "host"))" }
            .map { RigWords.Suite(name: $0.key, device: $0.elements[0].device, results: $0.elements) }
    }
}

extension Sequence {
    /// The elements by a key, in the order in which the keys first came.
    func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
        var (groups, places): ([(key: Key, elements: [Element])], [Key: Int]) = ([], [:])
        for element in self {
            let key = key(element)
            if let place = places[key] {
                groups[place].elements.append(element)
            } else {
                places[key] = groups.count
                groups.append((key, [element]))
            }
        }
        return groups
    }
}

extension Measure {
    /// The number, its limit and the verdict in one clause: `frame_rate is 28.5 Hz (29.85 to 30.15): fail`.
    package var finding: String {
        guard let value else { return "\(name.visible) was not measured" }
        let bounds = limit.flatMap(\.bounds).map { " (\($0))" } ?? ""
        return "\(name.visible) is \(RigWords.quantity(value, unit))\(bounds): \(verdict.rawValue)"
    }
}

extension Limit {
    /// The bounds of a pass for people; `nil` without any.
    var bounds: String? {
        switch (least, most) {
        case (let least?, let most?) where least == most: "exactly \(RigWords.number(least))"
        case (let least?, let most?): "\(RigWords.number(least)) to \(RigWords.number(most))"
        case (let least?, nil): "at least \(RigWords.number(least))"
        case (nil, let most?): "at most \(RigWords.number(most))"
        case (nil, nil): nil
        }
    }

    /// The bounds, and those of a pass that is safe; `nil` without any.
    package var sentence: String? {
        guard let bounds else { return nil }
        let marginal = [
            marginalBelow.map { "below \(RigWords.number($0))" }, marginalAbove.map { "above \(RigWords.number($0))" },
        ].compactMap { $0 }
        return marginal.isEmpty ? bounds : "\(bounds) (marginal \(marginal.joined(separator: " or ")))"
    }
}

extension CheckResult {
    /// One sentence why the verdict is not a plain pass; `nil` if it is one.
    ///
    /// The check's own message, otherwise the measures with that verdict, otherwise the verdict's meaning.
    package var explanation: String? {
        if let message, !message.isEmpty { return message.visible }
        guard verdict >= .marginal else { return nil }
        let findings = measures.filter { $0.verdict == verdict }.map(\.finding)
        return findings.isEmpty ? verdict.meaning : findings.joined(separator: "; ")
    }
}

extension Verdict {
    /// The meaning for people, without a capital or a full stop.
    var meaning: String {
        switch self {
        case .done: "the check measured a number without a limit"
        case .pass: "the device is within all limits"
        case .marginal: "the device passes, but is near a limit"
        case .skip: "the check did not run"
        case .fail: "the device is outside a limit"
        case .miss: "the device was not found"
        case .error: "the check could not measure"
        }
    }
}
