import CaptureBase

/// Rules by which the current work may ask a person; task-local, so that they reach conditions and operations of other authors.
struct InteractionPolicy: Sendable {
    /// `nil`: it may ask.
    @TaskLocal static var current: InteractionPolicy?

    var isSilent = false
    /// Questions that have been asked already, where an operation is attempted several times.
    var once: PromptOnce?
    /// The slot among the questions of one operation; `nil` if it has only one.
    var slot: PromptSlot?
    /// Reading that showed that a question is needed.
    var known: AuthorizationSnapshot?

    static var isSilent: Bool { current?.isSilent ?? false }

    /// Runs `body` in a context in which nobody may be asked.
    static func silently<Value: Sendable>(_ body: () async -> Value) async -> Value {
        await changed({ $0.isSilent = true }, body)
    }

    /// Runs `body` in a context in which the same question is asked only once.
    static func once<Value: Sendable>(_ body: () async -> Value) async -> Value {
        await changed({ $0.once = $0.once ?? PromptOnce() }, body)
    }

    /// Runs `body` as a part of an operation that has several questions.
    static func at<Value: Sendable>(_ slot: PromptSlot?, _ body: () async -> Value) async -> Value {
        guard let slot else { return await body() }
        return await changed({ $0.slot = slot }, body)
    }

    /// Runs `body`, which asks because of a reading.
    static func knowing<Value: Sendable>(
        _ known: AuthorizationSnapshot?, _ body: () async -> Value
    ) async -> Value {
        guard let known else { return await body() }
        return await changed({ $0.known = known }, body)
    }

    /// Runs `body` under a policy that was inherited.
    static func within<Value: Sendable>(_ policy: InteractionPolicy?, _ body: () async -> Value) async -> Value {
        guard let policy else { return await body() }
        return await $current.withValue(policy) { await body() }
    }

    /// Policy of an operation that is added from here: slot and reading end with their question.
    static var inherited: InteractionPolicy? {
        guard var policy = current else { return nil }
        policy.slot = nil
        policy.known = nil
        return policy
    }

    private static func changed<Value: Sendable>(
        _ change: (inout InteractionPolicy) -> Void, _ body: () async -> Value
    ) async -> Value {
        var policy = current ?? InteractionPolicy()
        change(&policy)
        return await $current.withValue(policy) { await body() }
    }
}

/// Questions that an operation with several attempts has asked: none is asked twice.
///
/// *thread-safe*
final class PromptOnce: Sendable {
    private struct State {
        var asked: Set<[DeviceRequest]> = []
        var answers: [ConfirmationRequest: Result<Void, CaptureError>] = [:]
    }

    private let state = Locked(State())

    /// Marks devices as asked for; `false` if they already were.
    func spend(_ requests: [DeviceRequest]) -> Bool {
        state.withLock { $0.asked.insert(requests).inserted }
    }

    /// Answer of a person at an earlier attempt.
    func answer(to confirmation: ConfirmationRequest) -> Result<Void, CaptureError>? {
        state.withLock { $0.answers[confirmation] }
    }

    func keep(_ answer: Result<Void, CaptureError>, to confirmation: ConfirmationRequest) {
        state.withLock { $0.answers[confirmation] = answer }
    }
}
