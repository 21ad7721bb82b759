import CaptureGate
import Dispatch
import Synchronization

/// Passes events on to their view, on a queue of its own: a terminal that was stopped or a reader that is slow must not
/// hold the capture up. A progress that comes while one is still being shown is left out.
final class EventReporter<Event: OngoingEvent>: Sendable {
    private let view: Locked<any EventView<Event>>
    private let queue = DispatchQueue(label: "capturegate.view")
    private let isShowing = Atomic(false)
    private let failing = Locked(Failing())

    private struct Failing {
        var failure: StreamFailure?
        var handler: (@Sendable () -> Void)?
    }

    init(view: any EventView<Event>) {
        self.view = Locked(view)
    }

    /// Why what is shown can't be seen.
    var failure: StreamFailure? { failing.withLock { $0.failure } }

    /// Calls the handler once nothing can be shown any more, and at once where that is so already.
    func whenFailed(_ handler: @escaping @Sendable () -> Void) {
        let hasFailed = failing.withLock { failing in
            failing.handler = handler
            return failing.failure != nil
        }
        if hasFailed { handler() }
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

    /// Returns when everything is shown, or when that takes longer than a reader may: one that does not read at all would
    /// keep the program from ending.
    func finish(within patience: Duration = .seconds(5)) async {
        let waiting = Locked<CheckedContinuation<Void, Never>?>(nil)
        let goOn: @Sendable () -> Void = { waiting.withLock { $0.take() }?.resume() }
        await withCheckedContinuation { continuation in
            waiting.withLock { $0 = continuation }
            queue.async(execute: goOn)
            let end = DispatchTime.now() + .milliseconds(Int(patience / .milliseconds(1)))
            DispatchQueue.global().asyncAfter(deadline: end, execute: goOn)
        }
    }

    private func show(_ event: Event) {
        do throws(StreamFailure) {
            try view.withLock { view throws(StreamFailure) in try view.show(event) }
        } catch {
            let handler = failing.withLock { failing in
                defer { failing.failure = failing.failure ?? error }
                return failing.failure == nil ? failing.handler : nil
            }
            handler?()
        }
    }
}

/// Shows what goes on.
protocol EventView<Event>: Sendable {
    associatedtype Event: Sendable

    /// - Throws: where showing it is all that the command does; others go on without.
    mutating func show(_ event: Event) throws(StreamFailure)
}

/// Something that goes on, and is told.
protocol OngoingEvent: Sendable {
    /// Whether the next one says it all again, so that this one may be left out.
    var isProgress: Bool { get }
}
