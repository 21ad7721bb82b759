import CaptureBase

/// Evaluation of one operation's conditions: first, all at once, those that ask nothing; then the questions that still
/// matter.
struct ConditionEvaluation: Sendable {
    private let tree: ConditionTree
    private let leaves: [ConditionLeaves.Leaf]

    /// - Parameter conditions: All of them must hold.
    init(_ conditions: [any OperationCondition]) {
        var leaves = ConditionLeaves()
        tree = .all(conditions.map { leaves.tree(of: $0) })
        self.leaves = leaves.all
    }

    /// Results and questions known so far.
    private struct Progress {
        var results: [ConditionResult?]
        var questions: [Int: any GateOperation] = [:]
    }

    /// Result of a leaf, or the question to ask for it.
    private enum Finding: Sendable {
        case result(ConditionResult)
        case question(any GateOperation)
    }

    /// Evaluates, and asks if necessary. Returns the error that keeps the operation from executing; `nil` if none exists.
    func failure(in context: OperationContext) async -> CaptureError? {
        var progress = await withoutAsking(in: context)
        if case .open(let open) = verdict(progress) { await ask(open, &progress, in: context) }
        return error(of: verdict(progress))
    }

    /// Evaluates without asking.
    func silently(in context: OperationContext) async -> CaptureError? {
        var results: [ConditionResult?] = Array(repeating: nil, count: leaves.count)
        await withTaskGroup(of: (Int, ConditionResult).self) { group in
            for (index, leaf) in leaves.enumerated() {
                group.addTask { (index, await leaf.evaluate(in: context)) }
            }
            for await (index, result) in group { results[index] = result }
        }
        return error(of: tree.verdict { results[$0] })
    }

    /// True if the outcome can't be decided without asking.
    func isOpen(in context: OperationContext) async -> Bool {
        if case .open = verdict(await withoutAsking(in: context)) { true } else { false }
    }

    private func verdict(_ progress: Progress) -> ConditionTree.Verdict {
        tree.verdict { progress.results[$0] }
    }

    /// Evaluates all leaves at once: those that ask nothing must not wait for one another.
    private func withoutAsking(in context: OperationContext) async -> Progress {
        var progress = Progress(results: Array(repeating: nil, count: leaves.count))
        await withTaskGroup(of: (Int, Finding).self) { group in
            for (index, leaf) in leaves.enumerated() {
                group.addTask { (index, await Self.find(leaf, in: context)) }
            }
            for await (index, finding) in group {
                switch finding {
                case .result(let result): progress.results[index] = result
                case .question(let question): progress.questions[index] = question
                }
            }
        }
        return progress
    }

    private static func find(_ leaf: ConditionLeaves.Leaf, in context: OperationContext) async -> Finding {
        if !leaf.isSilent, let question = await leaf.question(in: context) { return .question(question) }
        return .result(await leaf.evaluate(in: context))
    }

    /// Runs the questions of open conditions, all at once; but each is put to the person only when the last answer has
    /// not decided the outcome. As soon as it is decided, the open ones are withdrawn.
    private func ask(_ open: Set<Int>, _ progress: inout Progress, in context: OperationContext) async {
        // So that no operation waits for a category while a question is open.
        HeldLocks.stepAside()
        let questions = progress.questions
        let locks = LockManager()
        let slots =
            open.count < 2
            ? [:]
            : Dictionary(
                uniqueKeysWithValues: open.map { index in
                    (index, PromptSlot(in: locks, outer: InteractionPolicy.current?.slot))
                })
        await withTaskGroup(of: (Int, ConditionResult).self) { group in
            for index in open.sorted() {
                guard let question = questions[index] else { continue }
                let leaf = leaves[index]
                group.addTask {
                    let result = await InteractionPolicy.at(slots[index]) {
                        await leaf.evaluate(after: question, in: context)
                    }
                    return (index, result)
                }
            }
            while let (index, result) = await group.next() {
                progress.results[index] = result
                guard case .open = verdict(progress) else { return group.cancelAll() }
                slots[index]?.leave()
            }
        }
    }

    /// An open verdict can't remain after asking; if it does, nothing may execute.
    private func error(of verdict: ConditionTree.Verdict) -> CaptureError? {
        switch verdict {
        case .satisfied: nil
        case .failed(let errors): .conditions(errors)
        case .open: CaptureError(.conditionFailed, "A condition could not be evaluated.")
        }
    }
}

extension ConditionLeaves.Leaf {
    fileprivate func question(in context: OperationContext) async -> (any GateOperation)? {
        await InteractionPolicy.silently { await condition.dependency(in: context) }
    }

    fileprivate func evaluate(in context: OperationContext) async -> ConditionResult {
        await InteractionPolicy.silently { await condition.evaluate(in: context) }
    }

    /// Asks and evaluates again. A failed question's error explains more than that of the condition that still fails.
    fileprivate func evaluate(after question: some GateOperation, in context: OperationContext) async -> ConditionResult
    {
        context.monitor?.didProduce(question.name, context)
        let answer = await context.perform(question)
        let result = await evaluate(in: context.answered(try? answer.get()))
        guard !result.isSatisfied, case .failure(let failure) = answer else { return result }
        return failure.cause.map { .failed($0) } ?? result
    }
}

extension OperationError {
    /// The error to report for a question that did not succeed.
    fileprivate var cause: CaptureError? {
        switch self {
        case .refused(let error): error
        case .failed(let error): error as? CaptureError
        case .cancelled: .withdrawn
        }
    }
}

extension CaptureError {
    /// Error of an operation whose conditions failed: the error itself if it is the only one, otherwise one error with all of
    /// them.
    static func conditions(_ errors: [CaptureError]) -> CaptureError? {
        guard errors.count > 1 else { return errors.first }
        var remedies: [Remedy] = []
        for remedy in errors.flatMap(\.remedies) where !remedies.contains(remedy) { remedies.append(remedy) }
        return CaptureError(
            .conditionFailed, errors.map(\.message).joined(separator: " "), remedies: remedies, underlying: errors)
    }
}
