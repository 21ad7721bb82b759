import CMedia

/// The calls of a run in which none failed.
struct CallTrace {
    /// Name and count, in the order in which they first came.
    let calls: [(name: String, count: Int64)]

    init() {
        var order: [String] = []
        var counts: [String: Int64] = [:]
        for name in FaultSeam.calls {
            if counts[name] == nil { order.append(name) }
            counts[name, default: 0] += 1
        }
        calls = order.map { ($0, counts[$0] ?? 0) }
    }

    /// What is to fail, one after the other: of each call the first time, with each error of its manual page, once and for
    /// ever; and as many times more as `depth` says, one in the middle, and the last, with each error once;
    /// at depth 0 the last alone, with one error, and for ever with one error.
    func faults(depth: Int64) -> [PlannedFault] {
        calls.flatMap { name, count in
            let errors = FaultTable.errors(of: name)
            let lasting = depth > 0 ? errors : Array(errors.prefix(1))
            let once = errors.filter { !lasting.contains($0) }.map {
                PlannedFault(call: name, nth: 1, error: $0, span: CM_FAULTS_ONCE)
            }
            let first = lasting.flatMap { spans(of: $0, isFirst: $0 == errors.first, name: name) }
            return first + once + later(name, count, errors, depth)
        }
    }

    private func later(_ name: String, _ count: Int64, _ errors: [Int32], _ depth: Int64) -> [PlannedFault] {
        var times = Set((1...max(1, depth)).map { min($0, count) } + [count])
        if depth > 0 { times.insert((count + 1) / 2) }
        let some = depth > 0 ? errors : Array(errors.prefix(1))
        return times.subtracting([1]).sorted().flatMap { nth in
            some.map { PlannedFault(call: name, nth: nth, error: $0, span: CM_FAULTS_ONCE) }
        }
    }

    private func spans(of error: Int32, isFirst: Bool, name: String) -> [PlannedFault] {
        var spans = [CM_FAULTS_ONCE]
        if FaultTable.lasts(error) { spans.append(CM_FAULTS_THIS_CALL) }
        if FaultTable.lasts(error), isFirst { spans.append(CM_FAULTS_EVERY_CALL) }
        return spans.map { PlannedFault(call: name, nth: 1, error: error, span: $0) }
    }
}
