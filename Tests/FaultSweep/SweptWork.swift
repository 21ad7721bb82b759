import CaptureGate

/// What is done again and again, each time with another call failing.
protocol SweptWork: AnyObject, Sendable {
    /// Its id, which each error must name.
    var device: String { get }

    func make(failing fault: PlannedFault) async -> SweptOutcome

    /// What is wrong with the files after that; `nil` where nothing is.
    func leftBehind(_ outcome: SweptOutcome) -> String?
}

enum SweptOutcome: Sendable {
    /// All of it was done.
    case done
    /// A clip came to be, and ended early.
    case ended(CaptureError)
    /// Nothing came to be.
    case refused(CaptureError)

    var error: CaptureError? {
        switch self {
        case .done: nil
        case .ended(let error), .refused(let error): error
        }
    }
}
