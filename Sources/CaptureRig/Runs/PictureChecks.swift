extension CheckMakers {
    /// Checks of what a camera shows.
    static let picture: [String: Maker] = [:]
}
