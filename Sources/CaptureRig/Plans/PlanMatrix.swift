import LinuxSystem

/// Values of several parameters, each of which meets each of the others, but for some.
///
/// *thread-safe*
struct PlanMatrix {
    /// A parameter, and its values in the plan's order.
    struct Axis {
        let name: String
        fileprivate(set) var values: [(text: String, value: PlanValue)] = []
        /// Index of each value: a plan may have thousands.
        fileprivate var indices: [PlanValue: Int] = [:]

        fileprivate init(_ name: String) {
            self.name = name
        }

        /// - Returns: false for a value that is there already.
        fileprivate mutating func add(_ value: PlanValue, _ text: String) -> Bool {
            guard indices.updateValue(indices[value] ?? values.count, forKey: value) == nil else { return false }
            values.append((text, value))
            return true
        }
    }

    /// One value for each parameter.
    struct Variant {
        var choices: [CheckResult.Choice] = []
        var parameters: [String: PlanValue] = [:]
    }

    fileprivate(set) var axes: [Axis] = []
    /// Excluded variants: those whose every index is in the set of its axis. An axis without a set may have any value.
    fileprivate var exceptions: [[Int: Set<Int>]] = []

    /// Number of variants, including the excluded ones; `nil` for more than fit a number.
    var count: Int? {
        axes.reduce(1) { count, axis in
            guard let count, case (let product, false) = count.multipliedReportingOverflow(by: axis.values.count) else {
                return nil
            }
            return product
        }
    }

    /// All variants in the plan's order; the last parameter changes first. One without choices for a matrix without parameters.
    ///
    /// There are at most ``count``: check that first.
    var variants: [Variant] {
        let indices = axes.reduce([[Int]()]) { rows, axis in
            rows.flatMap { row in axis.values.indices.map { row + [$0] } }
        }
        return indices.filter { !isExcepted($0) }.map(variant)
    }

    private func isExcepted(_ indices: [Int]) -> Bool {
        exceptions.contains { $0.allSatisfy { axis, values in values.contains(indices[axis]) } }
    }

    private func variant(_ indices: [Int]) -> Variant {
        var variant = Variant()
        for (axis, index) in zip(axes, indices) {
            variant.choices.append(CheckResult.Choice(axis.name, axis.values[index].text))
            variant.parameters[axis.name] = axis.values[index].value
        }
        return variant
    }
}

/// Reads a matrix and its exceptions.
///
/// *session-bound*
struct PlanMatrixReader {
    let values: PlanValues
    let check: CheckDefinition
    /// Parameters that the check has outside of the matrix, too.
    let taken: Set<String>

    private var mistakes: PlanMistakes { values.mistakes }

    /// - Parameters:
    ///   - matrix: `nil` for a check in one variant.
    ///   - except: variants to exclude.
    /// - Returns: the matrix of the readable parts, with a diagnostic for all others.
    func matrix(_ matrix: YAMLNode?, except: YAMLNode?) -> PlanMatrix {
        var result = PlanMatrix()
        let before = mistakes.found.count
        for (key, value) in matrix.flatMap({ mistakes.entries(of: $0, what: "`matrix`") }) ?? [] {
            if let axis = axis(key, value) { result.axes.append(axis) }
        }
        guard let except else { return result }
        guard matrix != nil else {
            mistakes.report("`except` needs a `matrix`. Add one.", at: except)
            return result
        }
        // An exception from an unreadable part would be reported as a second mistake.
        guard mistakes.found.count == before else { return result }
        for node in mistakes.list(except, what: "`except`") ?? [] {
            if let exception = exception(node, of: result) { result.exceptions.append(exception) }
        }
        return result
    }

    /// One parameter and its values.
    private func axis(_ key: YAMLNode, _ node: YAMLNode) -> PlanMatrix.Axis? {
        guard let name = mistakes.word(key) else { return nil }
        guard let parameter = check.parameters.first(where: { $0.name == name }) else {
            let kind = "a parameter of `\(check.name)`"
            mistakes.reportUnknown(name, kind, among: check.parameters.map(\.name), at: key)
            return nil
        }
        guard !taken.contains(name) else {
            mistakes.report("`\(name)` is also in the check. Write it there or in the matrix.", at: key)
            return nil
        }
        guard parameter.kind != .command else {
            mistakes.report("A matrix can't contain a command. Write a check for each.", at: key)
            return nil
        }
        var axis = PlanMatrix.Axis(name)
        for node in nodes(node, name) ?? [] {
            guard let value = values.value(node, of: parameter) else { continue }
            if !axis.add(value, Self.text(of: node)) {
                mistakes.report("The matrix has this value twice. Remove one.", at: node)
            }
        }
        return axis.values.isEmpty ? nil : axis
    }

    /// Values of a parameter: one, or each of a list.
    private func nodes(_ node: YAMLNode, _ name: String) -> [YAMLNode]? {
        guard case .list = node.content else { return [node] }
        return mistakes.list(node, what: "`\(name)`")
    }

    /// Value as written in the plan, for the name of the result.
    private static func text(of node: YAMLNode) -> String {
        if case .list(let nodes) = node.content { return nodes.compactMap(\.word).joined(separator: "+") }
        return node.word ?? ""
    }

    /// Values of some parameters that shall not meet.
    private func exception(_ node: YAMLNode, of matrix: PlanMatrix) -> [Int: Set<Int>]? {
        guard let entries = mistakes.entries(of: node, what: "An exception") else { return nil }
        if entries.isEmpty {
            mistakes.report("An empty exception would exclude everything. Name a value.", at: node)
        }
        var exception: [Int: Set<Int>] = [:]
        for (key, value) in entries {
            guard let name = mistakes.word(key) else { continue }
            guard let index = matrix.axes.firstIndex(where: { $0.name == name }) else {
                mistakes.reportUnknown(name, "in the matrix", among: matrix.axes.map(\.name), at: key)
                continue
            }
            exception[index] = indices(value, in: matrix.axes[index])
        }
        return exception.isEmpty ? nil : exception
    }

    /// Indices of the values that an exception names.
    private func indices(_ node: YAMLNode, in axis: PlanMatrix.Axis) -> Set<Int> {
        let parameter = check.parameters.first { $0.name == axis.name }
        var indices: Set<Int> = []
        for node in nodes(node, axis.name) ?? [] {
            guard let parameter, let value = values.value(node, of: parameter) else { continue }
            if let index = axis.indices[value] {
                indices.insert(index)
            } else {
                let kind = "a value of `\(axis.name)` in the matrix"
                mistakes.reportUnknown(Self.text(of: node), kind, among: axis.values.map(\.text), at: node)
            }
        }
        return indices
    }
}
