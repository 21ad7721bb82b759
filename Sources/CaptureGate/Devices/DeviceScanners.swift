import LinuxSystem

/// Search for cameras among the video4linux nodes.
///
/// A camera often has several nodes: UVC has a second one for metadata, test drivers have outputs; radios and VBI have nodes of
/// this subsystem, too. udev's `ID_V4L_CAPABILITIES` shows what each node does. Of the nodes that capture and share a parent
/// interface, the one with the lowest index is the camera.
enum CameraScanner {
    /// Lists all cameras; opens none of them.
    static func walk() -> EnumerationResult {
        var records: [DeviceRecord] = []
        let hasDaemon = UdevEnumerator.hasDaemon
        let faults = UdevEnumerator.forEach(in: "video4linux", named: "video*") { device in
            // A device that udevd has not finished with has no stable id yet; its event comes then.
            if !hasDaemon || device.isInitialized, let record = record(of: device) { records.append(record) }
        }
        return EnumerationResult(records: onePerCamera(records), faults: faults)
    }

    /// Record of a node; `nil` if it does not capture.
    private static func record(of device: borrowing UdevDevice) -> DeviceRecord? {
        guard let node = device.node, device.systemName.hasPrefix("video") else { return nil }
        let properties = device.properties
        if let capabilities = properties["ID_V4L_CAPABILITIES"] {
            guard capabilities.contains(":capture:") else { return nil }
        } else if !mayCapture(name: device.attribute("name") ?? "") {
            return nil
        }
        return DeviceRecord(
            systemPath: device.systemPath, node: node,
            name: device.attribute("name") ?? properties["ID_V4L_PRODUCT"] ?? device.systemName,
            properties: properties,
            parentPath: device.parentPath("usb", "usb_interface"),
            index: device.attribute("index").flatMap { Int($0) } ?? 0, card: nil)
    }

    /// Guess from a node's name, for machines without udevd, where nothing has queried the node's capabilities. Drivers of outputs
    /// and metadata often have names that show it; opening decides about the rest.
    private static func mayCapture(name: String) -> Bool {
        let name = name.lowercased()
        return !["-out", "meta", "vbi", "touch", "sdr"].contains { name.contains($0) }
    }

    /// Drops all but the first node of each parent interface.
    static func onePerCamera(_ records: [DeviceRecord]) -> [DeviceRecord] {
        var best: [String: DeviceRecord] = [:]
        for record in records {
            let key = record.parentPath ?? record.systemPath
            if let other = best[key], other.index <= record.index { continue }
            best[key] = record
        }
        return best.values.sorted { $0.systemPath < $1.systemPath }
    }
}

/// Search for PCM devices that capture.
enum MicrophoneScanner {
    /// Lists all PCM capture devices, sorted by card and device number; opens none of them.
    static func walk() -> EnumerationResult {
        var records: [DeviceRecord] = []
        let hasDaemon = UdevEnumerator.hasDaemon
        let faults = UdevEnumerator.forEach(in: "sound", named: "pcmC*c") { device in
            // udev describes a card in a second event, after its PCM devices have come; until then they have no stable
            // id.
            if let record = record(of: device), !hasDaemon || record.properties["SOUND_INITIALIZED"] != nil {
                records.append(record)
            }
        }
        return EnumerationResult(
            records: records.sorted { ($0.card ?? 0, $0.index) < ($1.card ?? 0, $1.index) }, faults: faults)
    }

    /// Record of a PCM device; `nil` for anything else of the subsystem.
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

    /// Card and device number of a kernel name: `pcmC1D0c` is card 1, device 0, capture.
    static func numbers(of systemName: String) -> (card: Int, device: Int)? {
        guard systemName.hasPrefix("pcmC"), systemName.hasSuffix("c") else { return nil }
        let parts = systemName.dropFirst(4).dropLast().split(separator: "D")
        guard parts.count == 2, let card = Int(parts[0]), let device = Int(parts[1]) else { return nil }
        return (card, device)
    }
}

/// Files of /proc/asound about a PCM device, read without opening it.
enum ALSAProcfs {
    /// Long name of the card, with the PCM's own name where it adds something.
    static func name(card: Int, device: Int) -> String {
        let pcm = info(card: card, device: device)["name"] ?? ""
        let card = cardName(card, cards: ProcessFile.text("/proc/asound/cards") ?? "") ?? "sound card \(card)"
        let suffix = device == 0 ? "" : " #\(device)"
        return pcm.isEmpty || card.contains(pcm) ? card + suffix : "\(card), \(pcm)\(suffix)"
    }

    /// Number of the card with an id, as `Webcam` in ` 1 [Webcam         ]: USB-Audio - HD Webcam`; `nil` if none has it.
    static func cardNumber(of id: String, cards: String = ProcessFile.text("/proc/asound/cards") ?? "") -> Int? {
        for line in cards.split(separator: "\n") {
            guard let bracket = line.firstIndex(of: "["), let end = line.firstIndex(of: "]"), bracket < end else {
                continue
            }
            let name = line[line.index(after: bracket)..<end].split(separator: " ")
            if name.count == 1, name[0] == id { return Int(line[..<bracket].filter { $0 != " " }) }
        }
        return nil
    }

    /// True if every substream is taken.
    static func isBusy(card: Int, device: Int) -> Bool {
        info(card: card, device: device)["subdevices_avail"] == "0"
    }

    /// Fields of the device's `info` file, which has one `key: value` per line.
    private static func info(card: Int, device: Int) -> [String: String] {
        let text = ProcessFile.text("/proc/asound/card\(card)/pcm\(device)c/info") ?? ""
        return text.split(separator: "\n").reduce(into: [:]) { lines, line in
            guard let colon = line.firstIndex(of: ":") else { return }
            lines[String(line[..<colon])] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
    }

    /// Long name of a card, after the dash in its line of /proc/asound/cards, as in ` 1 [Webcam         ]: USB-Audio -
    /// HD Webcam`.
    static func cardName(_ card: Int, cards: String) -> String? {
        for line in cards.split(separator: "\n") {
            guard let bracket = line.firstIndex(of: "["), Int(line[..<bracket].filter { $0 != " " }) == card,
                let end = line.firstIndex(of: "]")
            else { continue }
            let rest = String(line[end...].dropFirst(2))
            let parts = rest.split(separator: "-", omittingEmptySubsequences: false)
            // Driver names contain hyphens, too; the separator is the first hyphen between spaces.
            for index in parts.indices.dropFirst() where parts[index].hasPrefix(" ") && parts[index - 1].hasSuffix(" ")
            {
                return String(parts[index...].joined(separator: "-").drop { $0 == " " })
            }
        }
        return nil
    }
}
