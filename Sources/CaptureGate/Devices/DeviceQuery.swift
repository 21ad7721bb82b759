import Gate

/// The device a person means with a word on the command line.
///
/// *thread-safe*
public enum DeviceQuery: Hashable, Sendable {
    /// The machine's choice: the first device of its kind that is real and free. Where a sound server holds the microphones,
    /// ALSA's `default`, by which it shares them.
    case `default`
    /// An id, or a part of the name or id that only one device has.
    case text(String)

    public init(_ text: String) {
        self = text == "default" ? .default : .text(text)
    }

    /// Picks the device out of a listing.
    ///
    /// - Parameters:
    ///   - devices: what there is, of any capability.
    ///   - capability: which kind is meant.
    /// - Throws: `.noDevice` where none or several fit, naming what there is.
    public func pick(from devices: [Device], _ capability: CapabilityName) throws(CaptureError) -> Device {
        let candidates = devices.filter { $0.capability == capability }
        switch self {
        case .default: return try Self.machinesChoice(candidates, capability)
        case .text(let text): return try Self.named(text, candidates, capability)
        }
    }

    private static func machinesChoice(
        _ candidates: [Device], _ capability: CapabilityName
    ) throws(CaptureError) -> Device {
        let real = candidates.filter { !$0.isBuiltIn }
        if let free = real.first(where: \.availability.isAvailable) { return free }
        if capability == .microphone, real.contains(where: \.availability.isOfAudioServer) { return NamedPCM.default }
        if let busy = real.first { return busy }
        throw CaptureError(
            .noDevice, "This machine has no \(capability).", remedies: listing(candidates, capability))
    }

    private static func named(
        _ text: String, _ candidates: [Device], _ capability: CapabilityName
    ) throws(CaptureError) -> Device {
        if capability == .microphone, let named = try NamedPCM.device(DeviceID(rawValue: text)) { return named }
        if let exact = candidates.first(where: { $0.id.rawValue == text }) { return exact }
        let wanted = text.lowercased()
        let fitting = candidates.filter {
            $0.name.lowercased().contains(wanted) || $0.id.rawValue.lowercased().contains(wanted)
        }
        if fitting.count == 1, !wanted.isEmpty { return fitting[0] }
        let shown = QuestionText.visible(text)
        let message =
            fitting.count > 1 && !wanted.isEmpty
            ? "\"\(shown)\" fits \(fitting.count) \(capability)s: \(fitting.map(\.id.rawValue).joined(separator: ", "))."
            : "There is no \(capability) \"\(shown)\"."
        throw CaptureError(.noDevice, message, remedies: listing(candidates, capability))
    }

    private static func listing(_ candidates: [Device], _ capability: CapabilityName) -> [Remedy] {
        let ids = candidates.map(\.id.rawValue).joined(separator: ", ")
        return [Remedy("Choose one of: \(ids).", command: "capturegate devices")]
    }
}

extension Availability {
    fileprivate var isOfAudioServer: Bool {
        guard case .busy(let holder?) = self else { return false }
        return AudioServer.isOne(holder)
    }
}
