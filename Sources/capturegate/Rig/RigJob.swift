import CaptureGate
import CaptureRig
import LinuxSystem

/// A run of a plan with its view, its journal and the signals that end it.
struct RigJob {
    let run: RigRun
    let plan: RigPlan
    let journal: RigJournal
    /// Names of results of an earlier run, which are not shown again.
    let kept: Set<String>
    let json: Bool

    /// Runs to the end, or until a signal.
    ///
    /// - Returns: the report, and the number of the signal that ended it.
    func run() async -> (report: RigReport, signal: Int32?) {
        let reporter = EventReporter(view: RigView(plan, kept: kept, json: json))
        let (run, journal) = (run, journal)
        let task = Task {
            await run.results { event in
                if case .ended(let result) = event { journal.note(result) }
                reporter.handle(RigViewEvent(event))
            }
        }
        let end = SignalEnd()
        let signals = SignalSubscription { number in
            switch end.receive(number) {
            case .first:
                reporter.handle(.ending)
                task.cancel()
            case .echo: break
            case .second:
                // The run is aborted because something hangs, but its results are kept.
                try? journal.finish()
                Signals.endProcess(by: number)
            }
        }
        defer { withExtendedLifetime(signals) {} }
        let ticker = Task {
            while (try? await Task.sleep(for: .milliseconds(200))) != nil { reporter.handle(.tick) }
        }
        let results = await task.value
        ticker.cancel()
        // Commands between the checks do not send events.
        for result in results where result.check == "command" { reporter.handle(.ended(result)) }
        reporter.handle(.over)
        await reporter.finish()
        return (journal.report(of: results, isComplete: end.signal == nil), end.signal)
    }
}

/// Signals that end a run: the first one cancels it, a later one ends the program at once.
private final class SignalEnd: Sendable {
    private let first = Locked<(signal: Int32, at: ContinuousClock.Instant)?>(nil)

    /// Signal that arrived; `nil` until one does.
    var signal: Int32? { first.withLock { $0?.signal } }

    /// Meaning of a signal.
    enum Meaning {
        case first
        /// Repetition of the first one: one Ctrl-C may arrive twice,
        /// from the terminal and from a parent that forwards it.
        case echo
        case second
    }

    func receive(_ number: Int32) -> Meaning {
        first.withLock { first in
            let now = ContinuousClock.now
            guard let earlier = first else {
                first = (number, now)
                return .first
            }
            // A person takes longer.
            return now - earlier.at < .milliseconds(300) ? .echo : .second
        }
    }
}

/// Event of a run as it is shown.
enum RigViewEvent: OngoingEvent {
    case began(PlannedCheck)
    case ended(CheckResult)
    /// Regular event for redrawing the times.
    case tick
    /// A signal has arrived, so the running check ends.
    case ending
    case over

    init(_ event: RigRun.Event) {
        switch event {
        case .began(let check): self = .began(check)
        case .ended(let result): self = .ended(result)
        }
    }

    var isProgress: Bool { if case .tick = self { true } else { false } }
}
