import CaptureBase

/// Conditions in their composition; the leaves are numbered.
indirect enum ConditionTree: Sendable {
    case leaf(Int)
    case all([ConditionTree])
    case any([ConditionTree], name: String)
    case not(ConditionTree, name: String)
    case ignoring(ConditionTree)

    /// What is known about a leaf or a composition.
    enum Verdict: Sendable {
        case satisfied
        case failed([CaptureError])
        /// These leaves have to be asked for.
        case open(Set<Int>)
    }

    /// What the leaves known so far come to. Errors are those of all failed conditions; an open leaf that can't change
    /// the outcome is not among the open ones.
    func verdict(_ leaf: (Int) -> ConditionResult?) -> Verdict {
        switch self {
        case .leaf(let index): Verdict(leaf(index), index)
        case .all(let parts): .all(parts.map { $0.verdict(leaf) })
        case .any(let parts, let name): .any(parts.map { $0.verdict(leaf) }, name)
        case .not(let part, let name): part.verdict(leaf).negated(name)
        case .ignoring(let part): part.verdict(leaf).ignored
        }
    }
}

extension ConditionTree.Verdict {
    init(_ result: ConditionResult?, _ index: Int) {
        switch result {
        case .satisfied: self = .satisfied
        case .failed(let error): self = .failed([error])
        case nil: self = .open([index])
        }
    }

    static func all(_ parts: [Self]) -> Self {
        let errors = parts.errors
        if !errors.isEmpty { return .failed(errors) }
        let open = parts.openLeaves
        return open.isEmpty ? .satisfied : .open(open)
    }

    static func any(_ parts: [Self], _ name: String) -> Self {
        if parts.contains(where: { if case .satisfied = $0 { true } else { false } }) { return .satisfied }
        let open = parts.openLeaves
        guard open.isEmpty else { return .open(open) }
        let errors = parts.errors
        return .failed(errors.isEmpty ? [CaptureError(.conditionFailed, "\(name) has no conditions.")] : errors)
    }

    func negated(_ name: String) -> Self {
        switch self {
        case .satisfied: .failed([CaptureError(.conditionFailed, "\(name) holds, and must not.")])
        case .failed: .satisfied
        case .open: self
        }
    }

    var ignored: Self {
        if case .failed = self { .satisfied } else { self }
    }
}

extension [ConditionTree.Verdict] {
    fileprivate var errors: [CaptureError] {
        reduce(into: []) { all, part in
            if case .failed(let errors) = part { all += errors }
        }
    }

    fileprivate var openLeaves: Set<Int> {
        reduce(into: []) { open, part in
            if case .open(let leaves) = part { open.formUnion(leaves) }
        }
    }
}
