/// Everything a run of a plan found: the one document of which all other formats are made.
///
/// Its JSON has the names of the properties in snake case; `schema` says which version. *thread-safe*
public struct RigReport: Hashable, Sendable, Codable {
    /// Name and version of the document's format.
    public static let schema = "capturegate.rig/1"

    public var schema = RigReport.schema
    /// Name of the plan.
    public var plan: String
    /// Profile whose limits count where the plan has none: `bench` or `certification`.
    public var profile: String
    public var host: Host
    /// Wall time at the start: RFC 3339 in UTC.
    public var began: String
    /// Seconds that the run took.
    public var seconds: Double
    public var end: End
    public var results: [CheckResult]

    /// The machine that ran the plan.
    public struct Host: Hashable, Sendable, Codable {
        public var name: String
        /// Release of the kernel, as of uname(2).
        public var kernel: String
        /// Hardware name, as of uname(2): `x86_64`.
        public var machine: String
        /// Versions by name: `capturegate`, `alsa-lib` and others that matter.
        public var versions: [String: String]

        public init(name: String, kernel: String, machine: String, versions: [String: String]) {
            self.name = name
            self.kernel = kernel
            self.machine = machine
            self.versions = versions
        }
    }

    /// Reason for the end of the run.
    public enum End: String, Hashable, Sendable, Codable {
        case complete
        /// By a signal or a cancelled task: what did not run is in the results as skipped.
        case interrupted
    }

    public init(
        plan: String, profile: String, host: Host, began: String, seconds: Double, end: End, results: [CheckResult]
    ) {
        self.plan = plan
        self.profile = profile
        self.host = host
        self.began = began
        self.seconds = seconds
        self.end = end
        self.results = results
    }

    /// The worst verdict of all; `done` for none.
    public var verdict: Verdict { results.map(\.verdict).max() ?? .done }

    /// Number of results of a verdict.
    public func count(_ verdict: Verdict) -> Int { results.count { $0.verdict == verdict } }
}

/// Findings of one check, with one device and in one variant. *thread-safe*
public struct CheckResult: Hashable, Sendable, Codable {
    /// Name that stays the same from run to run: the check's, the device's in the plan and the variant's, as
    /// `camera.rate.desk-camera.YUYV-640x480-30`, and `.2` for the second of several repeats.
    public var name: String
    /// Name of the check in the catalogue: `camera.rate`.
    public var check: String
    /// First device of the check, even if it is missing; `nil` for checks of the host.
    public var device: RigDevice?
    /// Choices of a matrix for it, in the plan's order: `format` is `YUYV`.
    public var variant: [Choice]
    /// Number of the repeat, from 1.
    public var round: Int
    /// The verdict of the worst measure, or of what came before any.
    public var verdict: Verdict
    /// One sentence for people: the reason for a missing number, or the failure; `nil` if the measures say everything.
    public var message: String?
    public var measures: [Measure]
    /// Plots.
    public var series: [Series]
    /// Files beside the report.
    public var evidence: [Evidence]
    /// Seconds from the start of the run.
    public var begins: Double
    /// Seconds it took.
    public var seconds: Double
    /// Digest of the check in the plan, with its parameters, limits and devices. A resumed run repeats a check with a
    /// different digest. `nil` in results without a check.
    public var digest: String?

    /// Name of the repeat of a result, from 2 on: the first one has the name of all.
    static func name(_ name: String, round: Int) -> String { round == 1 ? name : "\(name).\(round)" }

    /// Name that all repeats have in common, by the name of one.
    static func nameOfAllRepeats(_ name: String, round: Int) -> String {
        let ending = ".\(round)"
        return round > 1 && name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
    }

    /// One choice of a matrix.
    public struct Choice: Hashable, Sendable, Codable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(
        name: String, check: String, device: RigDevice? = nil, variant: [Choice] = [], round: Int = 1,
        verdict: Verdict? = nil, message: String? = nil, measures: [Measure] = [], series: [Series] = [],
        evidence: [Evidence] = [], begins: Double = 0, seconds: Double = 0, digest: String? = nil
    ) {
        self.name = name
        self.check = check
        self.device = device
        self.variant = variant
        self.round = round
        self.verdict = verdict ?? measures.map(\.verdict).max() ?? .done
        self.message = message
        self.measures = measures
        self.series = series
        self.evidence = evidence
        self.begins = begins
        self.seconds = seconds
        self.digest = digest
    }
}

/// A device as a report names it. *thread-safe*
public struct RigDevice: Hashable, Sendable, Codable {
    /// Name in the plan.
    public var name: String
    /// Stable id; of a device that is not there, what the plan looked for.
    public var id: String
    /// Name of the hardware for people.
    public var label: String
    /// Name of the kernel's driver.
    public var driver: String?

    public init(name: String, id: String, label: String, driver: String? = nil) {
        self.name = name
        self.id = id
        self.label = label
        self.driver = driver
    }
}

/// File that shows a result, such as a frame that failed. *thread-safe*
public struct Evidence: Hashable, Sendable, Codable {
    /// Path relative to the report's directory.
    public var file: String
    /// One line for people.
    public var caption: String

    public init(file: String, caption: String) {
        self.file = file
        self.caption = caption
    }

    /// True for a path that stays below the report's directory by its text.
    static func isInside(_ file: String) -> Bool {
        let parts = file.split(separator: "/", omittingEmptySubsequences: false)
        return parts.allSatisfy { !$0.isEmpty && $0 != ".." && !$0.utf8.contains(0) }
    }
}
