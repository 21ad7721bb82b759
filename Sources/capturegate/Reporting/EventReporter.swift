import CaptureGate
import Dispatch
import Synchronization

/// Queue that passes events on to their view.
///
/// A separate queue, since a stopped terminal (Ctrl-S) or a slow reader blocks `write`, and that must not delay the capture. A
/// progress event that arrives while another is being shown is dropped: the next one repeats all figures, and a growing queue
/// would only show old ones.
///
/// *thread-safe*
final class EventReporter<Event: OngoingEvent>: Sendable {
    /// View; used on the queue only, locked for the compiler's sake.
    private let view: Locked<any EventView<Event>>
    private let queue = DispatchQueue(label: "capturegate.view")
    /// True while a progress event waits or is being shown.
    private let isShowing = Atomic(false)
    private let failing = Locked(Failing())

    /// First failure, and its handler.
    private struct Failing {
        var failure: StreamFailure?
        var handler: (@Sendable () -> Void)?
    }

    init(view: any EventView<Event>) {
        self.view = Locked(view)
    }

    /// Reason why nothing can be shown any more; `nil` while all is well.
    var failure: StreamFailure? { failing.withLock { $0.failure } }

    /// Calls the handler once nothing can be shown any more, at once if that is so already.
    ///
    /// A meter ends once its reader is gone; a recording continues without it.
    func whenFailed(_ handler: @escaping @Sendable () -> Void) {
        // Decided under the lock, called outside it: the handler cancels an operation, which takes other locks.
        let hasFailed = failing.withLock { failing in
            failing.handler = handler
            return failing.failure != nil
        }
        if hasFailed { handler() }
    }

    /// Queues an event. Never blocks, and may be called on a recorder's thread.
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

    /// Returns when all events are shown, or after `patience`: a
    /// reader that never reads would keep the program from ending.
    ///
    /// - Parameter patience: longest wait; any reader that reads needs far less.
    func finish(within patience: Duration = .seconds(5)) async {
        let waiting = Locked<CheckedContinuation<Void, Never>?>(nil)
        // Called by whichever comes first; a continuation may be resumed once only, so it is taken out.
        let goOn: @Sendable () -> Void = { waiting.withLock { $0.take() }?.resume() }
        await withCheckedContinuation { continuation in
            waiting.withLock { $0 = continuation }
            queue.async(execute: goOn)
            let end = DispatchTime.now() + .milliseconds(Int(patience / .milliseconds(1)))
            DispatchQueue.global().asyncAfter(deadline: end, execute: goOn)
        }
    }

    /// Shows an event, on the queue.
    private func show(_ event: Event) {
        do throws(StreamFailure) {
            try view.withLock { view throws(StreamFailure) in try view.show(event) }
        } catch {
            let handler = failing.withLock { failing in
                // The first failure counts and calls the handler; later ones follow from it.
                defer { failing.failure = failing.failure ?? error }
                return failing.failure == nil ? failing.handler : nil
            }
            handler?()
        }
    }
}

/// Form in which events are shown: NDJSON, plain lines, bars, or an animated terminal.
///
/// Mutating, so that a view can remember what it has drawn; `EventReporter` calls it from one queue.
protocol EventView<Event>: Sendable {
    associatedtype Event: Sendable

    /// Shows one event.
    ///
    /// - Throws: if showing is all that the command does, as a meter's; a recording's views swallow failures, since the file is
    ///   worth more than its progress.
    mutating func show(_ event: Event) throws(StreamFailure)
}

/// Event of an operation that takes time.
protocol OngoingEvent: Sendable {
    /// True if the next event of its kind replaces it, so that this one may be dropped.
    var isProgress: Bool { get }
}
