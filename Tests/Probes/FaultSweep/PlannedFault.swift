import CMedia

/// A call to fail: the nth of its name, with an error, for this long.
struct PlannedFault: CustomStringConvertible, Sendable {
    let call: String
    let nth: Int64
    let error: Int32
    let span: cm_faults_span

    /// The same, of a call before it.
    func earlier(_ number: Int64) -> PlannedFault {
        PlannedFault(call: call, nth: min(nth, number), error: error, span: span)
    }

    func plan() { FaultSeam.plan(self) }

    var description: String {
        let length =
            switch span {
            case CM_FAULTS_ONCE: "once"
            case CM_FAULTS_THIS_CALL: "from then on"
            default: "and all others from then on"
            }
        return "\(call) number \(nth) fails \(length) with \(FaultTable.name(error))"
    }

    /// Whether it fails with a message that must name the call: where everything fails, what failed last is what ends it.
    var namesItself: Bool { span != CM_FAULTS_EVERY_CALL }

    static let none = PlannedFault(call: "", nth: 0, error: 0, span: CM_FAULTS_ONCE)
}
