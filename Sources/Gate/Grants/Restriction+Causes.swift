import CaptureBase

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

    static func unknownLevel(_ request: DeviceRequest) -> Restriction {
        let levels = request.capability.levels.map { "\"\($0.name)\"" }.joined(separator: " and ")
        return Restriction(
            cause: .unknownLevel,
            reason: "The \(request.capability) has the levels \(levels), and not the one that was asked for.",
            remedies: [Remedy("Ask for one of the capability's own levels, as the library has them.")])
    }

    static func store(_ error: CaptureError) -> Restriction {
        Restriction(
            cause: .store, reason: "The decisions can't be read, so nobody is allowed: \(error.message)",
            remedies: error.remedies.isEmpty
                ? [Remedy("See what is wrong with the store.", command: "capturegate log --verify")] : error.remedies)
    }
}
