extension Restriction {
    static func unknownSubject(_ error: CaptureError) -> Restriction {
        Restriction(
            cause: .unknownSubject, reason: "It can't be told which program asks: \(error.message)",
            remedies: error.remedies.isEmpty
                ? [Remedy("Run the program where it can read /proc/self, or ask the administrator.")] : error.remedies)
    }

    static func killSwitch(_ capability: CapabilityName) -> Restriction {
        Restriction(
            cause: .killSwitch, reason: "All \(capability) capture is switched off for this user.",
            remedies: [Remedy("Switch it on again.", command: "capturegate kill \(capability) --off")])
    }

    static func store(_ error: CaptureError) -> Restriction {
        Restriction(
            cause: .store, reason: "The decisions can't be read, so nobody is allowed: \(error.message)",
            remedies: error.remedies.isEmpty
                ? [Remedy("See what is wrong with the store.", command: "capturegate log --verify")] : error.remedies)
    }
}
