import CaptureGate

extension String {
    /// Filled up with spaces at the end.
    func padded(to width: Int) -> String {
        let columns = VisibleText.columns(of: self)
        return columns >= width ? self : self + String(repeating: " ", count: width - columns)
    }

    /// Filled up with spaces at the beginning.
    func aligned(to width: Int) -> String {
        let columns = VisibleText.columns(of: self)
        return columns >= width ? self : String(repeating: " ", count: width - columns) + self
    }

    /// Cut off where a line of so many columns ends: a longer one would wrap.
    func fitting(_ width: Int) -> String { VisibleText.prefix(of: self, columns: width) }
}
