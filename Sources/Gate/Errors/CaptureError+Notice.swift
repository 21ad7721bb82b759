import CaptureBase

extension CaptureError {
    /// The error as a person reads it: what is wrong, then what can be done about it, a line each.
    ///
    /// Commands stand after a colon, as they are typed. The remedies of `underlying` errors come after its own.
    public var notice: String {
        ([message] + allRemedies.map { "  " + $0.line }).joined(separator: "\n")
    }

    /// What can be done about it, those of the underlying errors included; each once.
    public var allRemedies: [Remedy] {
        var all: [Remedy] = []
        for remedy in remedies + underlying.flatMap(\.allRemedies) where !all.contains(remedy) { all.append(remedy) }
        return all
    }
}

extension Remedy {
    fileprivate var line: String {
        guard let command else { return text }
        return (text.hasSuffix(".") ? String(text.dropLast()) : text) + ": " + command
    }
}
