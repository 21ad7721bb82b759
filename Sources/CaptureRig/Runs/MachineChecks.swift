extension CheckMakers {
    /// Checks of the machine and the gate.
    static let machine: [String: Maker] = [:]
}
