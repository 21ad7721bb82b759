import ArgumentParser

/// A picture's size, such as `1280x720`.
struct SizeArgument: SpelledArgument, Hashable, Sendable {
    let width: Int
    let height: Int

    static let spelling = "a size in pixels such as 1280x720, each side from 16 to 16384"

    init?(argument: String) {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            (16...16_384).contains(width), (16...16_384).contains(height)
        else { return nil }
        self.width = width
        self.height = height
    }
}
