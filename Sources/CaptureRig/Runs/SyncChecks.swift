extension CheckMakers {
    /// Checks of a camera and a microphone together.
    static let together: [String: Maker] = [:]
}
