/// Finds the PCM devices that capture.
enum MicrophoneScanner {
    static func walk() -> EnumerationResult {
        var records: [DeviceRecord] = []
        let hasDaemon = UdevEnumerator.hasDaemon
        let faults = UdevEnumerator.forEach(in: "sound", named: "pcmC*c") { device in
            // udev describes a card in a second event, after its PCM devices have come; until then it has no identity.
            if let record = record(of: device), !hasDaemon || record.properties["SOUND_INITIALIZED"] != nil {
                records.append(record)
            }
        }
        return EnumerationResult(
            records: records.sorted { ($0.card ?? 0, $0.index) < ($1.card ?? 0, $1.index) }, faults: faults)
    }

    private static func record(of device: borrowing UdevDevice) -> DeviceRecord? {
        guard let (card, index) = numbers(of: device.systemName) else { return nil }
        return DeviceRecord(
            systemPath: device.systemPath,
            node: device.node ?? "/dev/snd/\(device.systemName)",
            name: ALSAProcfs.name(card: card, device: index),
            // udev describes the card, not its PCM devices.
            properties: device.parentProperties("sound"),
            parentPath: device.parentPath("sound"), index: index, card: card)
    }

    /// `pcmC1D0c` is card 1, device 0, capture.
    static func numbers(of systemName: String) -> (card: Int, device: Int)? {
        guard systemName.hasPrefix("pcmC"), systemName.hasSuffix("c") else { return nil }
        let parts = systemName.dropFirst(4).dropLast().split(separator: "D")
        guard parts.count == 2, let card = Int(parts[0]), let device = Int(parts[1]) else { return nil }
        return (card, device)
    }
}
