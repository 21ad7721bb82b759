extension CheckMakers {
    /// Checks of controls.
    static let control: [String: Maker] = [:]
}
