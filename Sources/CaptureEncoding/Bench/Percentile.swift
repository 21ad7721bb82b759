/// Values in their order.
struct Percentile {
    private let sorted: [Int64]

    init(of values: some Sequence<Int64>) { sorted = values.sorted() }

    /// The smallest that so many per cent are not above (the nearest rank); 0 of nothing.
    subscript(_ percent: Double) -> Int64 {
        guard !sorted.isEmpty else { return 0 }
        let rank = (percent / 100 * Double(sorted.count)).rounded(.up)
        return sorted[min(max(Int(rank), 1), sorted.count) - 1]
    }
}
