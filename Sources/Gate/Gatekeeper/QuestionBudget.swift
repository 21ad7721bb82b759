import CaptureBase

/// What has been asked for an operation that is attempted several times: nothing is asked twice.
///
/// *thread-safe*
final class QuestionBudget: Sendable {
    private struct State {
        var asked: Set<[DeviceRequest]> = []
        var answers: [Confirmation: Result<Void, CaptureError>] = [:]
    }

    private let state = Locked(State())

    /// Whether these devices have not been asked for yet; they have been from then on.
    func spend(_ requests: [DeviceRequest]) -> Bool {
        state.withLock { $0.asked.insert(requests).inserted }
    }

    /// What a person answered at an earlier attempt.
    func answer(to confirmation: Confirmation) -> Result<Void, CaptureError>? {
        state.withLock { $0.answers[confirmation] }
    }

    func keep(_ answer: Result<Void, CaptureError>, to confirmation: Confirmation) {
        state.withLock { $0.answers[confirmation] = answer }
    }
}
