import CaptureEncoding
import Dispatch
import Synchronization

/// Passes a recording's events on to its view, on a queue of its own: a terminal that was stopped or a reader that is
/// slow must not hold the recording up. A progress that comes while one is still being shown is left out.
final class RecordingReporter: Sendable {
    private let view: Mutex<any RecordingView>
    private let queue = DispatchQueue(label: "capturegate.view")
    private let isShowing = Atomic(false)

    init(view: any RecordingView) {
        self.view = Mutex(view)
    }

    func handle(_ event: RecordingEvent) {
        if case .progress = event {
            guard !isShowing.exchange(true, ordering: .acquiringAndReleasing) else { return }
            queue.async {
                self.show(event)
                self.isShowing.store(false, ordering: .releasing)
            }
        } else {
            queue.async { self.show(event) }
        }
    }

    /// Returns when everything is shown.
    func finish() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    private func show(_ event: RecordingEvent) { view.withLock { $0.show(event) } }
}
