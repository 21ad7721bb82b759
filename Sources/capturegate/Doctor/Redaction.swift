import CaptureGate
import LinuxSystem

/// Filter for text that other people will read: removes names of the user and the machine, home directories, and ids and serial
/// numbers of devices.
struct Redaction {
    /// Home directories, absolute, written as `~`.
    let homes: [String]
    /// Names of users and of the machine, each with its replacement.
    let names: [(name: String, mark: String)]
    /// Serial numbers of devices.
    let serials: [String]

    /// Facts about this user and this machine.
    ///
    /// Serial numbers come from sysfs, which has those of all USB devices, also of those that capture nothing.
    static var current: Redaction {
        let environment = ProcessEnvironment.current
        // The second one is the person's under sudo.
        let ids =
            [Users.effectiveID] + (ProcessFile.text("/proc/self/loginuid").flatMap { UInt32($0) }.map { [$0] } ?? [])
        let users = ids.map(Users.name(ofUser:)) + ["USER", "LOGNAME"].compactMap { environment[$0] }
        let host = ProcessFile.text("/proc/sys/kernel/hostname") ?? ""
        let hosts = [host, String(host.prefix { $0 != "." })]
        let folder = "/sys/bus/usb/devices"
        return Redaction(
            homes: ids.compactMap(Users.homeDirectory(ofUser:)) + (environment["HOME"].map { [$0] } ?? []),
            names: users.map { (name: $0, mark: "<user>") } + hosts.map { (name: $0, mark: "<host>") },
            serials: ProcessFile.names(in: folder).compactMap { ProcessFile.text("\(folder)/\($0)/serial") })
    }

    /// Drops values that identify nobody, or that are so short that they would be found everywhere.
    init(homes: [String], names: [(name: String, mark: String)], serials: [String]) {
        // Longer ones first: one may contain another. The root directory is nobody's home.
        self.homes = homes.filter { $0.count > 1 }.sorted { $0.count > $1.count }
        let common = ["", "root", "nobody"]
        self.names = names.filter { !common.contains($0.name) && UInt32($0.name) == nil }
            .sorted { $0.name.count > $1.name.count }
        // Some devices have a serial number such as 1.
        self.serials = serials.filter { $0.count > 3 }.sorted { $0.count > $1.count }
    }

    /// Text without what identifies a person, a machine or a single device.
    func callAsFunction(_ text: String) -> String {
        var text = withoutIDs(text)
        for serial in serials { text = text.replacing(serial, with: "<serial>") }
        for home in homes { text = text.replacing(home, with: "~") }
        for (name, mark) in names { text = Self.replacing(name, with: mark, in: text) }
        return Self.withoutOtherHomes(text)
    }

    /// Text with each id of a device as `camera:<id>`: most ids contain a serial number.
    private func withoutIDs(_ text: String) -> String {
        let ends: Set<Character> = [" ", "\t", "\n", "\"", "'", "(", ")", "[", "]", "<", ">", ",", ";"]
        var (result, word) = ("", "")
        func finish() {
            let end = word.reversed().prefix { $0 == "." || $0 == ":" }.count
            result += Self.withoutID(String(word.dropLast(end))) + word.suffix(end)
            word = ""
        }
        for letter in text {
            guard ends.contains(letter) else {
                word.append(letter)
                continue
            }
            finish()
            result.append(letter)
        }
        finish()
        return result
    }

    /// Word, or a mark for an id.
    private static func withoutID(_ word: String) -> String {
        let lower = word.lowercased()
        for kind in ["camera:", "microphone:", "pipewire:"] where lower.hasPrefix(kind) { return "\(kind)<id>" }
        return ["usb-", "bluez"].contains { lower.contains($0) } ? "<id>" : word
    }

    /// Text with a name replaced wherever it is a whole word, in any case.
    private static func replacing(_ name: String, with mark: String, in text: String) -> String {
        let (letters, lower) = (Array(text), text.map { $0.lowercased() })
        let wanted = name.map { $0.lowercased() }
        func isPart(_ index: Int) -> Bool {
            letters.indices.contains(index) && (letters[index].isLetter || letters[index].isNumber)
        }
        var (result, index) = ("", 0)
        while index < letters.count {
            let end = index + wanted.count
            if end <= letters.count, Array(lower[index..<end]) == wanted, !isPart(index - 1), !isPart(end) {
                result += mark
                index = end
            } else {
                result.append(letters[index])
                index += 1
            }
        }
        return result
    }

    /// Text with the names of other users' home directories replaced.
    private static func withoutOtherHomes(_ text: String) -> String {
        let parts = text.split(separator: "/home/", omittingEmptySubsequences: false)
        let others = parts.dropFirst().map { part in "/home/<user>" + part.drop { $0 != "/" && $0 != " " } }
        return String(parts.first ?? "") + others.joined()
    }
}
