/// Tells when a camera has found its exposure: the mean brightness of five pictures in turn is the same within 2 %.
struct PictureSettling {
    private var means: [Double] = []

    private static let pictures = 5
    private static let tolerance = 0.02
    /// In the dark, one step of 255 is more than 2 %.
    private static let step = 1.0 / 255

    var isSettled: Bool {
        guard means.count == Self.pictures, let low = means.min(), let high = means.max() else { return false }
        return high - low < max(Self.tolerance * high, Self.step)
    }

    /// - Parameter mean: of the next picture, 0…1.
    mutating func add(_ mean: Double) {
        means.append(mean)
        if means.count > Self.pictures { means.removeFirst() }
    }
}
