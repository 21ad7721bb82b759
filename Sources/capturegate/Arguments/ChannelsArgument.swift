import ArgumentParser

/// A number of channels, 1 to 64.
struct ChannelsArgument: SpelledArgument, Hashable, Sendable {
    let count: Int

    static let spelling = "a number of channels from 1 to 64"

    init?(argument: String) {
        guard let count = Int(argument), (1...64).contains(count) else { return nil }
        self.count = count
    }
}
