/// One number that a check measured, its limit, and the verdict that follows.
///
/// *thread-safe*
public struct Measure: Hashable, Sendable, Codable {
    /// Name in lower case with underscores, such as `frame_rate`; it never changes, because machines compare it between runs.
    public let name: String
    /// The number in ``unit``; `nil` if it could not be measured.
    public let value: Double?
    /// Unit as people write it: `Hz`, `ms`, `ppm`, `dB`, `%`, `frames`; empty for a ratio.
    public let unit: String
    /// Direction of better numbers.
    public let direction: Direction
    /// Bounds of a pass; `nil` for a number that is only told.
    public let limit: Limit?

    /// Makes a measure.
    ///
    /// - Parameters:
    ///   - name: lower case with underscores.
    ///   - value: number in `unit`; one that is not finite counts as not measured.
    ///   - unit: unit as people write it.
    ///   - direction: which numbers are better.
    ///   - limit: bounds of a pass.
    public init(_ name: String, _ value: Double?, _ unit: String, _ direction: Direction, limit: Limit? = nil) {
        self.name = name
        self.value = value.flatMap { $0.isFinite ? $0 : nil }
        self.unit = unit
        self.direction = direction
        self.limit = limit
    }

    /// The better one of two numbers.
    public enum Direction: String, Hashable, Sendable, Codable, CaseIterable {
        case lower, higher
        /// A number near the middle of the limit is better.
        case target
        /// The number only describes.
        case none
    }

    /// Verdict on the hardware; an error if the number is missing.
    public var verdict: Verdict {
        guard let value else { return .error }
        return limit?.verdict(of: value) ?? .done
    }

    /// Distance of the number from its nearest bound, inside it, in ``unit``; negative outside, `nil` without a bound or a number.
    public var margin: Double? {
        guard let value, let limit else { return nil }
        return [limit.least.map { value - $0 }, limit.most.map { $0 - value }].compactMap { $0 }.min()
    }
}

/// Inclusive bounds of a number, with which a pass near a bound can be distinguished from a safe one.
///
/// *thread-safe*
public struct Limit: Hashable, Sendable, Codable {
    /// Least number that passes; `nil` for none.
    public var least: Double?
    /// Maximum that passes; `nil` for none.
    public var most: Double?
    /// A pass below this is marginal.
    public var marginalBelow: Double?
    /// A pass above this is marginal.
    public var marginalAbove: Double?

    public init(
        least: Double? = nil, most: Double? = nil, marginalBelow: Double? = nil, marginalAbove: Double? = nil
    ) {
        self.least = least
        self.most = most
        self.marginalBelow = marginalBelow
        self.marginalAbove = marginalAbove
    }

    /// Bounds on both sides of a target.
    public static func within(_ tolerance: Double, of target: Double) -> Limit {
        Limit(least: target - tolerance, most: target + tolerance)
    }

    /// - Parameter value: a finite number.
    public func verdict(of value: Double) -> Verdict {
        if let least, value < least { return .fail }
        if let most, value > most { return .fail }
        if let marginalBelow, value < marginalBelow { return .marginal }
        if let marginalAbove, value > marginalAbove { return .marginal }
        return .pass
    }
}

/// Outcome of a check of hardware, from the best to the worst.
///
/// *thread-safe*
public enum Verdict: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// A number without a limit was measured.
    case done
    case pass
    /// A pass near its limit.
    case marginal
    /// Not run: the plan was interrupted, or the device has not what the check is about.
    case skip
    case fail
    /// The device is not there.
    case miss
    /// The check could not measure: the bench is broken, not the device.
    case error

    public static func < (one: Verdict, other: Verdict) -> Bool {
        allCases.firstIndex(of: one) ?? 0 < allCases.firstIndex(of: other) ?? 0
    }

    /// True if the hardware does what it must.
    public var isGood: Bool { self <= .marginal }
}
