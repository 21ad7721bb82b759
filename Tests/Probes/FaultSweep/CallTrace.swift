import CMedia

/// The calls of a run.
struct CallTrace {
    /// Name and count, in the order in which they first came.
    let calls: [(name: String, count: Int64)]

    /// Those since the last plan was made.
    init() {
        var order: [String] = []
        var counts: [String: Int64] = [:]
        for name in FaultSeam.calls {
            if counts[name] == nil { order.append(name) }
            counts[name, default: 0] += 1
        }
        calls = order.map { ($0, counts[$0] ?? 0) }
    }

    func count(of name: String) -> Int64 { calls.first { $0.name == name }?.count ?? 0 }
}
