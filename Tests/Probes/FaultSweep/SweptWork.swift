import CaptureGate

/// What is done again and again, each time with another call failing.
protocol SweptWork: AnyObject, Sendable {
    /// Ids, and words for what has none, of which each error must name one.
    var names: [String] { get }

    /// How the names of calls begin that it makes or not, by the clock: these are left out.
    var chance: String? { get }

    func make(failing fault: PlannedFault) async -> SweptOutcome

    /// What is wrong with what it made, beside the errors themselves; `nil` where nothing is.
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
