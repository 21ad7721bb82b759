extension String {
    /// With control and formatting characters written as `\u{…}`: a device's name or a program's path must not move the
    /// cursor or change what stands on the terminal.
    var visible: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Filled up with spaces at the end.
    func padded(to width: Int) -> String {
        count >= width ? self : self + String(repeating: " ", count: width - count)
    }

    /// Filled up with spaces at the beginning.
    func aligned(to width: Int) -> String {
        count >= width ? self : String(repeating: " ", count: width - count) + self
    }

    /// Cut off where a line of so many columns ends: a longer one would wrap.
    func fitting(_ width: Int) -> String { String(prefix(max(0, width))) }
}
