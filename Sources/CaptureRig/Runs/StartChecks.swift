extension CheckMakers {
    /// Checks of starting and stopping.
    static let start: [String: Maker] = [:]
}
