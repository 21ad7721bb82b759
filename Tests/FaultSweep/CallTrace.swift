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

    /// What is to fail, one after the other: of each call the first times, as many as `depth`, one in the middle, and the
    /// last, each with each error of its manual page, once and for ever.
    func faults(depth: Int64) -> [PlannedFault] {
        calls.flatMap { name, count in
            let times = Set((1...max(1, depth)).map { min($0, count) } + [(count + 1) / 2, count]).sorted()
            return times.flatMap { nth in
                FaultTable.errors(of: name).flatMap { error in
                    spans(error, isFirst: error == FaultTable.errors(of: name).first).map {
                        PlannedFault(call: name, nth: nth, error: error, span: $0)
                    }
                }
            }
        }
    }

    private func spans(_ error: Int32, isFirst: Bool) -> [cm_faults_span] {
        guard FaultTable.lasts(error) else { return [CM_FAULTS_ONCE] }
        return isFirst
            ? [CM_FAULTS_ONCE, CM_FAULTS_THIS_CALL, CM_FAULTS_EVERY_CALL] : [CM_FAULTS_ONCE, CM_FAULTS_THIS_CALL]
    }
}
