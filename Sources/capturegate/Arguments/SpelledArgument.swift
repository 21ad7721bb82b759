import ArgumentParser

/// An argument with a spelling of its own, which is told to whoever misspells it.
protocol SpelledArgument: ExpressibleByArgument {
    /// What to write, with examples.
    static var spelling: String { get }
}

extension SpelledArgument {
    /// For `@Option(transform:)`, whose errors say more than `init?` can.
    static func parse(_ argument: String) throws -> Self {
        guard let value = Self(argument: argument) else { throw ValidationError("Write \(spelling).") }
        return value
    }
}
