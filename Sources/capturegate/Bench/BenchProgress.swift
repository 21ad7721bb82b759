/// Tells a person at a terminal what is being measured.
struct BenchProgress {
    /// A line that is drawn over again; nothing where there is no terminal to draw on.
    let isShown: Bool

    func show(_ text: String) {
        guard isShown else { return }
        try? StandardStream.error.write("\r\u{1B}[Kmeasuring \(text)".fitting(StandardStream.error.columns + 3))
    }

    func clear() {
        if isShown { try? StandardStream.error.write("\r\u{1B}[K") }
    }
}
