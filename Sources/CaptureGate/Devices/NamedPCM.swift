import Gate

/// PCM devices of ALSA's configuration, such as a sound server's: `alsa:default`, `alsa:pulse`.
enum NamedPCM {
    private static let prefix = "alsa:"

    /// - Returns: the device, `nil` where the id is not of this kind.
    /// - Throws: `.noDevice` for a name of hardware: that has an id of its own, which decisions are about.
    static func device(_ id: DeviceID) throws(CaptureError) -> Device? {
        guard id.rawValue.hasPrefix(prefix) else { return nil }
        let name = String(id.rawValue.dropFirst(prefix.count))
        guard !name.isEmpty, !name.contains("hw:"),
            name.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F })
        else {
            throw CaptureError(
                .noDevice, "\(QuestionText.visible(id.rawValue)) is not a name of ALSA's configuration.",
                remedies: [Remedy("Name hardware by its own id.", command: "capturegate devices")])
        }
        return device(named: name)
    }

    /// What programs get that name no device: a sound server's, where there is one.
    static let `default` = device(named: "default")

    private static func device(named name: String) -> Device {
        Device(
            id: DeviceID(rawValue: prefix + name), name: "ALSA \(name)", capability: .microphone,
            availability: .available,
            ambiguity: "the name is that of ALSA's configuration, which may change", nodes: [], pcmName: name,
            formats: .unknown)
    }
}
