/// Sound cards' devices that an open PCM captures from, for any PCM name and any plugins in front of them. Decisions may name any
/// of them.
///
/// Read from libasound's own dump of the opened PCM (`snd_pcm_dump`), not from its configuration, which may change meanwhile and
/// may run a program. In doubt a device counts as unknown: a plugin that is not one of libasound's own conversions, a sound
/// server, a file or a pipe may carry the audio of any microphone.
///
/// *thread-safe*
public struct PCMHardware: Hashable, Sendable {
    /// Names as libasound opens them: `hw:1,0`.
    public private(set) var names: Set<String> = []
    /// True if all devices are known. Otherwise the audio can come from any device.
    public private(set) var isComplete: Bool

    /// Far more than a PCM with eight slaves writes.
    private static let mostBytes = 64 * 1024

    /// - Throws: `snd_pcm_dump`'s error. A missing or too long dump is not an error: the PCM is unknown then.
    init(of handle: borrowing PCMHandle) throws(RealtimeFault) {
        self.init(dump: try handle.dump(upTo: Self.mostBytes) ?? "")
    }

    /// - Parameter dump: Output of `snd_pcm_dump`: a line that names each plugin, with `Slave: ` or `Slave #2: ` before those that
    ///   follow another one, and lines of details between them.
    package init(dump: String) {
        isComplete = true
        var reading = DumpReading()
        for line in dump.split(separator: "\n", omittingEmptySubsequences: true) {
            switch reading.read(line) {
            case .hardware(let name): names.insert(name)
            case .unknown: isComplete = false
            case .known: break
            }
        }
        if !reading.isWhole { isComplete = false }
    }
}

/// A reader of a dump's lines that counts the parts a complete one must have.
private struct DumpReading {
    enum Finding {
        case hardware(String)
        case unknown
        case known
    }

    /// Ends of chains: hardware devices, and the PCM of silence.
    private var ends = 0
    /// Multi PCMs, which have several slaves.
    private var splits = 0
    private var slavesOfSplits = 0
    private var isFirst = true

    /// True if each chain has its end: a plugin that does not mention its slave makes the dump incomplete.
    var isWhole: Bool { ends > 0 && ends == 1 + slavesOfSplits - splits }

    /// Converting plugins, each with a single slave PCM.
    private static let conversions = [
        "Hooks PCM", "Copy conversion PCM", "Linear conversion PCM (",
        "Linear Integer <-> Linear Float conversion PCM (",
        "Mu-Law conversion PCM (", "A-Law conversion PCM (", "Ima-ADPCM conversion PCM (",
        "IEC958 subframe conversion PCM (", "Rate conversion PCM (", "Route conversion PCM", "Soft volume PCM",
        "Mmap emulation PCM", "Direct Snoop PCM",
    ]

    /// Beginnings of the other lines that are not indented.
    private static let details = [
        "Its setup is:", "Protocol version: ", "Converter: ", "Control: ", "boolean", "min_dB: ", "max_dB: ",
        "resolution: ",
    ]

    /// Meaning of the dump's next line.
    mutating func read(_ line: Substring) -> Finding {
        var line = line
        let isSlave = line.hasPrefix("Slave: ") || line.hasPrefix("Slave #")
        if isSlave {
            if line.hasPrefix("Slave #") { slavesOfSplits += 1 }
            guard let colon = line.firstIndex(of: ":") else { return .unknown }
            line = line[colon...].dropFirst(2)
        }
        defer { isFirst = false }
        // Details are below a plugin's name, most of them indented.
        if !isSlave, !isFirst, line.hasPrefix(" ") || Self.details.contains(where: { line.hasPrefix($0) }) {
            return .known
        }
        while line.hasPrefix("Plug PCM: ") { line = line.dropFirst("Plug PCM: ".count) }
        return read(name: line)
    }

    /// Meaning of a line that names a plugin.
    private mutating func read(name: Substring) -> Finding {
        if name == "Null PCM" {
            ends += 1
            return .known
        }
        if name == "Multi PCM" {
            splits += 1
            return .known
        }
        if let hardware = Self.hardware(name) {
            ends += 1
            return .hardware(hardware)
        }
        return Self.conversions.contains { name.hasPrefix($0) } ? .known : .unknown
    }

    /// Device named by `Hardware PCM card 1 'USB Audio' device 0 subdevice 0`. It is read from both ends, since the
    /// card's name in the middle may contain anything.
    private static func hardware(_ line: Substring) -> String? {
        let head = "Hardware PCM card "
        guard line.hasPrefix(head) else { return nil }
        let words = line.split(separator: " ")
        guard words.count >= 8, words[words.count - 4] == "device", words[words.count - 2] == "subdevice",
            let card = UInt32(words[3]), let device = UInt32(words[words.count - 3])
        else { return nil }
        return "hw:\(card),\(device)"
    }
}
