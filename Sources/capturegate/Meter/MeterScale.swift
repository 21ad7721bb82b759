/// Where a level stands in a bar: -60 dBFS at its left end, 0 at its right.
struct MeterScale {
    let width: Int

    /// How many cells a level fills, 0…width.
    func position(_ decibels: Double) -> Int {
        Int((min(max(decibels + 60, 0), 60) / 60 * Double(width)).rounded())
    }

    /// The figures below the bar, as wide as it is.
    var figures: String {
        var cells = Array(repeating: Character(" "), count: width)
        for decibels in stride(from: -60, through: 0, by: 10) {
            let figure = Array(String(decibels))
            let start = min(position(Double(decibels)), width - figure.count)
            cells.replaceSubrange(start..<start + figure.count, with: figure)
        }
        return String(cells)
    }
}
