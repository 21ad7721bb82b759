/// Words of a command as a shell reads them back, for remedies that a person copies.
///
/// Standard: POSIX.1-2024, Shell Command Language, 2.2.2 Single-Quotes. *thread-safe*
package enum ShellQuote {
    /// A command with each word in quotes that needs them.
    package static func command(_ words: [String]) -> String { words.map(word).joined(separator: " ") }

    /// A word, in quotes where a shell could take anything in it for its own: a path may hold anything.
    package static func word(_ word: String) -> String {
        word.isEmpty || word.utf8.contains { !plain.contains($0) } ? quoted(word) : word
    }

    /// A word in quotes. Nothing in them is the shell's but the quote itself, which is written outside of them.
    package static func quoted(_ word: String) -> String {
        "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%".utf8)
}
