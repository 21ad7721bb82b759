/// A level as a bar of a terminal, with a mark at the highest of late.
struct LevelBar {
    let scale: MeterScale

    /// As many characters as the scale is wide.
    func text(_ peakDBFS: Double, hold: PeakHold) -> String {
        let (filled, mark) = (scale.position(peakDBFS), scale.position(hold.peakDBFS) - 1)
        return (0..<scale.width).map { cell in cell < filled ? "#" : cell == mark ? "|" : "-" }.joined()
    }
}
