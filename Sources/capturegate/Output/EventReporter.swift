import CaptureGate
import Dispatch
import Synchronization

/// Passes events on to their view, on a queue of its own: a terminal that was stopped or a reader that is slow must not
/// hold the capture up. A progress that comes while one is still being shown is left out.
final class EventReporter<Event: OngoingEvent>: Sendable {
    private let view: Locked<any EventView<Event>>
    private let queue = DispatchQueue(label: "capturegate.view")
    private let isShowing = Atomic(false)

    init(view: any EventView<Event>) {
        self.view = Locked(view)
    }

    func handle(_ event: Event) {
        if event.isProgress {
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

    private func show(_ event: Event) { view.withLock { $0.show(event) } }
}
