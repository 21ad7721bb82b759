extension CheckMakers {
    /// Checks of formats and sizes.
    static let mode: [String: Maker] = [:]
}
