import CaptureRealtime
import Gate

/// What opens a device that was unplugged and is back.
struct DeviceOpening<Value: ~Copyable & Sendable>: Sendable {
    let core: CaptureCore
    let open: @Sendable () throws(RealtimeFault) -> Value

    /// Waits for it.
    func opened() throws(CaptureError) -> Value { try core.value(of: OpenResult(open)) }
}

/// Looks for a device that was unplugged, and opens it if it is back, for somebody who can't wait for that: it goes on
/// beside, and is asked after. Who is released meanwhile lets go of the device.
///
/// *session-bound*
package final class Reopening<Value: ~Copyable & Sendable> {
    /// It is there, and what came of its opening.
    private struct Found: Sendable {
        let core: CaptureCore
        let opening: OpenResult<Value>
    }

    private final class Answer: Sendable {
        let outcome = Locked<Result<Found, CaptureError>?>(nil)

        func find(_ look: @Sendable () throws(CaptureError) -> DeviceOpening<Value>) async {
            let result: Result<Found, CaptureError>
            switch Result(catching: look) {
            case .failure(let error): result = .failure(error)
            case .success(let found):
                let opening = await OpenResult.of(found.open, on: "capturegate.\(found.core.device.id)")
                result = .success(Found(core: found.core, opening: opening))
            }
            outcome.withLock { $0 = result }
        }
    }

    private var pending: (answer: Answer, task: Task<Void, Never>)?

    package init() {}

    deinit { pending?.task.cancel() }

    /// - Parameter look: finds the device; throws while it is away. Called where nothing is under way.
    /// - Returns: `nil` while it is under way.
    /// - Throws: why it is not open. Either way it is not under way any more.
    func opened(
        _ look: @escaping @Sendable () throws(CaptureError) -> DeviceOpening<Value>
    ) throws(CaptureError) -> Value? {
        guard let (answer, _) = pending else {
            let answer = Answer()
            pending = (answer, Task { await answer.find(look) })
            return nil
        }
        guard let outcome = answer.outcome.withLock({ $0.take() }) else { return nil }
        pending = nil
        let found = try outcome.get()
        return try found.core.value(of: found.opening)
    }
}
