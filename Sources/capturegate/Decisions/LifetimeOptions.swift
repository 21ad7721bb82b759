import ArgumentParser
import CaptureGate

/// How long a grant holds: exactly one must be said.
struct LifetimeOptions: ParsableArguments {
    @Flag(help: "For one capture.")
    var once = false

    @Flag(help: "Until this login session or terminal ends.")
    var session = false

    @Option(
        name: .customLong("for"), help: ArgumentHelp("For a time, such as 90m, 8h or 7d.", valueName: "time"),
        transform: DurationArgument.parse)
    var time: DurationArgument?

    @Option(
        name: .customLong("until"),
        help: ArgumentHelp("Until a moment, such as 18:00 or 2026-01-31T18:00.", valueName: "moment"),
        transform: MomentArgument.parse)
    var moment: MomentArgument?

    @Flag(help: "For good, until it is revoked.")
    var always = false

    func validate() throws {
        let said = [once, session, time != nil, moment != nil, always].filter { $0 }.count
        guard said == 1 else {
            let cause = said == 0 ? "How long it holds is not said" : "How long it holds is said more than once"
            throw ValidationError("\(cause): choose one of --once, --session, --for, --until and --always.")
        }
    }

    func lifetime(of subject: Subject, now: GateInstant) throws(CaptureError) -> Lifetime {
        if once { return .once }
        if session {
            guard subject.session.isIdentified else {
                throw CaptureError(
                    .usage, "This session can't be told from others: its first process has ended or lives elsewhere.",
                    remedies: [Remedy("Choose a time instead, such as --for 8h.")])
            }
            return .session(subject.session)
        }
        if let time { return .until(now.advanced(by: time.duration.nanoseconds)) }
        guard let moment else { return .always }
        guard let end = moment.nanoseconds(now: now.wallNanoseconds) else {
            throw CaptureError(
                .usage, "There is no such moment from 1970 to 2200.",
                remedies: [Remedy("Write \(MomentArgument.spelling).")])
        }
        guard end > now.wallNanoseconds else {
            throw CaptureError(
                .usage, "\(WallTime.text(nanoseconds: end)) has passed already.",
                remedies: [Remedy("Name a moment to come.")])
        }
        // A clock may stand before 1970, by as much as there are numbers for.
        let (length, overflow) = end.subtractingReportingOverflow(now.wallNanoseconds)
        return .until(now.advanced(by: overflow ? .max : length))
    }
}
