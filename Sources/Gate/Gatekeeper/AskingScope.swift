/// Whether and when the work that goes on may ask a person.
struct AskingScope: Sendable {
    /// `nil`: it may.
    @TaskLocal static var current: AskingScope?

    var isSilent = false
    /// What is left to be asked, where an operation is attempted several times.
    var budget: QuestionBudget?
    /// The place among the questions of one operation; `nil` where it has only one.
    var place: QuestionPlace?

    static var isSilent: Bool { current?.isSilent ?? false }

    /// Runs `body` where nobody may be asked.
    static func silently<Value: Sendable>(_ body: () async -> Value) async -> Value {
        var scope = current ?? AskingScope()
        scope.isSilent = true
        return await $current.withValue(scope) { await body() }
    }

    /// Runs `body` where the same is asked only once.
    static func once<Value: Sendable>(_ body: () async -> Value) async -> Value {
        var scope = current ?? AskingScope()
        scope.budget = scope.budget ?? QuestionBudget()
        return await $current.withValue(scope) { await body() }
    }

    static func within<Value: Sendable>(_ scope: AskingScope?, _ body: () async -> Value) async -> Value {
        guard let scope else { return await body() }
        return await $current.withValue(scope) { await body() }
    }

    static func at<Value: Sendable>(_ place: QuestionPlace?, _ body: () async -> Value) async -> Value {
        guard let place else { return await body() }
        var scope = current ?? AskingScope()
        scope.place = place
        return await $current.withValue(scope) { await body() }
    }

    /// What an operation that is added from here inherits: everything but the place, which ends with its question.
    static var inherited: AskingScope? {
        guard var scope = current else { return nil }
        scope.place = nil
        return scope
    }
}
