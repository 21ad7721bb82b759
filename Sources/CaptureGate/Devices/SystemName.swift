import Gate
import LinuxSystem

/// Name of hardware in the system and in other programs: a device file, or ALSA's name of a card and device.
///
/// It is resolved each time, and means the device that has the name now. *thread-safe*
enum SystemName: Hashable, Sendable {
    /// Absolute path of a device file, or of a link to one.
    case file(String)
    /// Capturing PCM of a card, which is named by its number or its id.
    case pcm(card: String, device: Int)

    /// Reads a word.
    ///
    /// - Returns: `nil` for a word of another kind.
    init?(_ text: String, _ capability: CapabilityName) {
        if text.hasPrefix("/") {
            self = .file(text)
        } else if Self.isKernelName(text, capability) {
            self = .file((capability == .microphone ? "/dev/snd/" : "/dev/") + text)
        } else if capability == .microphone, let pcm = Self.pcm(text) {
            self = pcm
        } else {
            return nil
        }
    }

    /// Name of a card without a device, which means its first device, as in `hw:CARD`.
    init?(card: String) {
        guard !card.isEmpty, card.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        self = .pcm(card: card, device: 0)
    }

    /// Device of a listing that has the name.
    ///
    /// - Throws: `.noDevice` if none has it, with the names that exist.
    func device(among candidates: [Device], _ capability: CapabilityName) throws(CaptureError) -> Device {
        if let device = candidates.first(where: isName) { return device }
        throw CaptureError(
            .noDevice, refusal(capability), remedies: DeviceQuery.listing(candidates, capability))
    }

    /// True if it is a name of this device.
    func isName(of device: Device) -> Bool {
        switch self {
        case .file(let path):
            guard case .success(let status) = FileStatus.of(path), status.kind == .characterDevice else { return false }
            if device.nodes.contains(where: { (try? FileStatus.of($0).get())?.node == status.node }) { return true }
            // udev's links below /dev/snd/by-id and by-path lead to a card's mixer.
            guard let card = Self.mixersCard(path) else { return false }
            return device.pcmName == "hw:\(card),0"
        case .pcm(let card, let number):
            guard let card = Int(card) ?? ALSAProcfs.cardNumber(of: card) else { return false }
            return device.pcmName == "hw:\(card),\(number)"
        }
    }

    private func refusal(_ capability: CapabilityName) -> String {
        switch self {
        case .file(let path):
            let shown = QuestionText.visible(path)
            return switch FileStatus.of(path) {
            case .success(let status) where status.kind == .characterDevice:
                "\(shown) is not a device node of a \(capability)."
            case .success: "\(shown) is not a device."
            case .failure(let errno): "\(shown) can't be read: \(errno.text)."
            }
        case .pcm(let card, let device):
            return "The sound card \"\(QuestionText.visible(card))\" has no capture device \(device)."
        }
    }

    /// Number of the card whose mixer a path leads to.
    private static func mixersCard(_ path: String) -> Int? {
        guard let real = try? FileSystem.realPath(of: path), let name = real.split(separator: "/").last,
            name.hasPrefix("controlC")
        else { return nil }
        return Int(name.dropFirst(8))
    }

    /// True for `video0` and `pcmC0D0c`.
    private static func isKernelName(_ text: String, _ capability: CapabilityName) -> Bool {
        if capability == .microphone { return MicrophoneScanner.numbers(of: text) != nil }
        let number = text.dropFirst(5)
        return text.hasPrefix("video") && !number.isEmpty && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Hardware by `hw:0,0`, `plughw:1`, `hw:CARD=Webcam,DEV=0` and other names that `arecord -L` lists, which all lead to a card.
    private static func pcm(_ text: String) -> SystemName? {
        guard let colon = text.firstIndex(of: ":"), interfaces.contains(String(text[..<colon])) else { return nil }
        var (card, device, subdevice) = ("", "0", "0")
        let words = text[text.index(after: colon)...].split(separator: ",", omittingEmptySubsequences: false)
        for (place, word) in words.enumerated() {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            switch (parts.count == 2 ? parts[0] : Self.keys[safe: place], parts.last ?? "") {
            case ("CARD", let value): card = value
            case ("DEV", let value): device = value
            case ("SUBDEV", let value): subdevice = value
            default: return nil
            }
        }
        // Of several substreams the kernel gives the first that is free.
        guard !card.isEmpty, let number = Int(device), number >= 0, subdevice == "0" || subdevice == "-1" else {
            return nil
        }
        return .pcm(card: card, device: number)
    }

    /// Order of arguments without a key.
    private static let keys = ["CARD", "DEV", "SUBDEV"]
    /// Names of ALSA's configuration that are of one card each.
    private static let interfaces: Set<String> = ["hw", "plughw", "sysdefault", "front", "dsnoop"]
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
