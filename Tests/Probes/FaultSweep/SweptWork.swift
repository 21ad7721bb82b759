import CaptureGate

/// Work that is done again and again, each time with another call failing.
protocol SweptWork: AnyObject, Sendable {
    /// Ids, and words for what has none, of which each error must name one.
    var names: [String] { get }

    /// Prefix of the names of calls that depend on the clock, which are skipped.
    var chance: String? { get }

    func make(failing fault: PlannedFault) async -> SweptOutcome

    /// Fault of the result, besides the errors themselves; `nil` if none exists.
    func complaint(about outcome: SweptOutcome) -> String?
}

enum SweptOutcome: Sendable {
    /// All of it was done.
    case done
    /// A clip came to be, and ended early.
    case ended(CaptureError)
    /// Nothing came to be.
    case refused(CaptureError)
    /// All of it was done but for this.
    case partly([CaptureError])

    var errors: [CaptureError] {
        switch self {
        case .done: []
        case .ended(let error), .refused(let error): [error]
        case .partly(let errors): errors
        }
    }
}
