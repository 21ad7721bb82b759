/// What /proc/asound says of a PCM device, without opening it.
enum ALSAProcfs {
    /// The card's long name, with the PCM's own name where it adds something.
    static func name(card: Int, device: Int) -> String {
        let pcm = info(card: card, device: device)["name"] ?? ""
        let card = cardName(card, cards: SmallFile.text("/proc/asound/cards") ?? "") ?? "sound card \(card)"
        let suffix = device == 0 ? "" : " #\(device)"
        return pcm.isEmpty || card.contains(pcm) ? card + suffix : "\(card), \(pcm)\(suffix)"
    }

    /// Whether every substream is taken.
    static func isBusy(card: Int, device: Int) -> Bool {
        info(card: card, device: device)["subdevices_avail"] == "0"
    }

    /// The lines of the device's `info` file, `key: value`.
    private static func info(card: Int, device: Int) -> [String: String] {
        let text = SmallFile.text("/proc/asound/card\(card)/pcm\(device)c/info") ?? ""
        return text.split(separator: "\n").reduce(into: [:]) { lines, line in
            guard let colon = line.firstIndex(of: ":") else { return }
            lines[String(line[..<colon])] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
    }

    /// The name after the dash in the line of a card, as in ` 1 [Webcam         ]: USB-Audio - HD Webcam`.
    static func cardName(_ card: Int, cards: String) -> String? {
        for line in cards.split(separator: "\n") {
            guard let bracket = line.firstIndex(of: "["), Int(line[..<bracket].filter { $0 != " " }) == card,
                let end = line.firstIndex(of: "]")
            else { continue }
            let rest = String(line[end...].dropFirst(2))
            let parts = rest.split(separator: "-", omittingEmptySubsequences: false)
            // Driver names hold hyphens too; the separator is the first hyphen between spaces.
            for index in parts.indices.dropFirst() where parts[index].hasPrefix(" ") && parts[index - 1].hasSuffix(" ")
            {
                return String(parts[index...].joined(separator: "-").drop { $0 == " " })
            }
        }
        return nil
    }
}
