import CMedia

/// Calls to fail, one after another: the first call of a name, the second, one in the middle and the last, once and forever.
///
/// A first call and a last one fail with each error of its manual page once. A call in between and one that fails forever use one
/// of them, in turn, beginning with another for each name. All errors at all places, which `isWhole` requests, are more than a
/// thousand recordings of a camera, and take minutes.
struct FaultPlan {
    let trace: CallTrace
    let isWhole: Bool
    let seed: Int

    var faults: [PlannedFault] {
        trace.calls.enumerated().flatMap { index, call in
            let (name, count) = call
            // How often one is called depends on the clock: that must not choose the errors of the others.
            var turn = seed + index
            return Set([1, 2, count / 2 + 1, count]).filter { $0 <= count }.sorted().flatMap { nth in
                lengths(nth).flatMap { span in
                    errors(of: name, nth, count, span, &turn).map {
                        PlannedFault(call: name, nth: nth, error: $0, span: span)
                    }
                }
            }
        }
    }

    /// All calls fail for ever from the first of each name on.
    private func lengths(_ nth: Int64) -> [cm_faults_span] {
        [CM_FAULTS_ONCE, CM_FAULTS_THIS_CALL] + (nth == 1 ? [CM_FAULTS_EVERY_CALL] : [])
    }

    private func errors(
        of name: String, _ nth: Int64, _ count: Int64, _ span: cm_faults_span, _ turn: inout Int
    ) -> [Int32] {
        let errors = FaultTable.errors(of: name).filter { span == CM_FAULTS_ONCE || FaultTable.lasts($0) }
        let isFull = span == CM_FAULTS_ONCE && (nth == 1 || nth == count)
        if isFull || isWhole || errors.isEmpty { return errors }
        turn += 1
        return [errors[turn % errors.count]]
    }
}
