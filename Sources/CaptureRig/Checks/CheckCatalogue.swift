/// All checks, in the order in which `rig list` shows them.
///
/// By default a plan's limits come from the catalogue: for a bench, where hardware is developed, and stricter ones for a
/// certification, where it is accepted.
///
/// *thread-safe*
package enum CheckCatalogue {
    package static let all: [CheckDefinition] = cameras + pictures + sounds + systems

    /// The check of a name.
    package static func check(_ name: String) -> CheckDefinition? { all.first { $0.name == name } }
}

extension CheckDefinition.Parameter {
    /// Parameters of a camera's format.
    static let picture: [CheckDefinition.Parameter] = [
        CheckDefinition.Parameter("format", .word, "V4L2 pixel format, such as YUYV or MJPG"),
        CheckDefinition.Parameter("size", .size, "pixels: 1280x720"),
        CheckDefinition.Parameter("rate", .rate, "frame rate, such as 30 or 30000/1001"),
    ]

    /// Parameters of a microphone's format.
    static let sound: [CheckDefinition.Parameter] = [
        CheckDefinition.Parameter("format", .word, "ALSA sample format, such as S16_LE"),
        CheckDefinition.Parameter("channels", .count, "number of channels"),
        CheckDefinition.Parameter("rate", .count, "sample rate, Hz"),
    ]

    /// Parameters of a check that tries modes one after another.
    static let modeSample: [CheckDefinition.Parameter] = [
        CheckDefinition.Parameter("sample", .count, "modes to choose at random; 0 tests all", standard: "0"),
        CheckDefinition.Parameter("seed", .count, "seed of the random choice; by default a new one each time"),
    ]

    /// Time of a capture.
    static func time(_ standard: String) -> CheckDefinition.Parameter {
        CheckDefinition.Parameter("for", .duration, "length of the capture", standard: standard)
    }

    /// Number of repetitions in one check, whose spread is in one result.
    static func times(_ standard: Int, _ what: String) -> CheckDefinition.Parameter {
        CheckDefinition.Parameter("times", .count, "number of \(what)", standard: String(standard))
    }
}

extension Limit {
    /// At most a number, and marginal above another.
    static func most(_ most: Double, marginal: Double? = nil) -> Limit { Limit(most: most, marginalAbove: marginal) }

    /// At least a number, and marginal below another.
    static func least(_ least: Double, marginal: Double? = nil) -> Limit {
        Limit(least: least, marginalBelow: marginal)
    }

    /// Nothing but one number.
    static func exactly(_ value: Double) -> Limit { Limit(least: value, most: value) }

    /// As far as a tolerance from 0 on both sides, and marginal beyond four fifths of it.
    static func around(_ tolerance: Double) -> Limit {
        Limit(
            least: -tolerance, most: tolerance, marginalBelow: -0.8 * tolerance, marginalAbove: 0.8 * tolerance)
    }
}
