import CSystem

/// What a result of a `cs_` wrapper means, in English: "Permission denied".
func systemText(_ result: some BinaryInteger) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
        guard let start = text.baseAddress else { return "" }
        text.initialize(repeating: 0)
        _ = cs_error_text(Int32(truncatingIfNeeded: result.magnitude), start, text.count)
        return String(cString: start)
    }
}
