extension CheckMakers {
    /// Checks of what a microphone hears.
    static let sound: [String: Maker] = [:]
}
