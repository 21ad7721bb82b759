import CMedia

/// The devices of sound cards that an open PCM takes its sound from, whatever it is called and however many plugins stand
/// before them: decisions may be about any of them.
///
/// Read from what libasound tells of the PCM that it has opened (`snd_pcm_dump`), not from its configuration, which may
/// change meanwhile and be a program. What is not known for certain is not taken for known: a plugin that is not one of
/// libasound's own conversions, a sound server, a file or a pipe may bring the sound of any microphone.
///
/// *thread-safe*
public struct PCMHardware: Hashable, Sendable {
    /// As libasound opens them: `hw:1,0`.
    public private(set) var names: Set<String> = []
    /// Whether all of it is known; else it may be any.
    public private(set) var isComplete: Bool

    /// Far more than a PCM of eight slaves tells of itself.
    private static let mostBytes = 64 * 1024

    init(of handle: borrowing PCMHandle) throws(RealtimeFault) {
        let pcm = unsafe handle.pcm
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
        let length = unsafe bytes.withUnsafeMutableBytes { buffer -> Int64 in
            guard let start = buffer.baseAddress else { return 0 }
            return unsafe cm_pcm_dump(pcm, start, buffer.count)
        }
        // A PCM that tells nothing of itself, or more than there is buffer for, is not known.
        let isUntold = [-Int64(ENAMETOOLONG), -Int64(ENOSYS)].contains(length)
        guard length >= 0 || isUntold else { throw RealtimeFault(.infoPCM, result: Int32(truncatingIfNeeded: length)) }
        self.init(dump: String(decoding: bytes.prefix(Int(max(0, length))), as: UTF8.self))
    }

    /// - Parameter dump: what `snd_pcm_dump` writes: a line that names each plugin, `Slave: ` or `Slave #2: ` before those that
    ///   stand behind one, and details between them.
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

/// Goes through the lines of a dump and counts what must be there.
private struct DumpReading {
    enum Finding {
        case hardware(String)
        case unknown
        case known
    }

    /// What ends a chain: hardware, or the PCM that gives silence.
    private var ends = 0
    private var splits = 0
    private var slavesOfSplits = 0
    private var isFirst = true

    /// Each chain has its end, so that a plugin that said nothing of what is behind it does not pass.
    var isWhole: Bool { ends > 0 && ends == 1 + slavesOfSplits - splits }

    /// What converts, and has one PCM behind it.
    private static let conversions = [
        "Hooks PCM", "Copy conversion PCM", "Linear conversion PCM (",
        "Linear Integer <-> Linear Float conversion PCM (",
        "Mu-Law conversion PCM (", "A-Law conversion PCM (", "Ima-ADPCM conversion PCM (",
        "IEC958 subframe conversion PCM (", "Rate conversion PCM (", "Route conversion PCM", "Soft volume PCM",
        "Mmap emulation PCM", "Direct Snoop PCM",
    ]

    /// What else begins a line without a blank before it.
    private static let details = [
        "Its setup is:", "Protocol version: ", "Converter: ", "Control: ", "boolean", "min_dB: ", "max_dB: ",
        "resolution: ",
    ]

    mutating func read(_ line: Substring) -> Finding {
        var line = line
        let isSlave = line.hasPrefix("Slave: ") || line.hasPrefix("Slave #")
        if isSlave {
            if line.hasPrefix("Slave #") { slavesOfSplits += 1 }
            guard let colon = line.firstIndex(of: ":") else { return .unknown }
            line = line[colon...].dropFirst(2)
        }
        defer { isFirst = false }
        // Details stand below a name, and most of them behind blanks.
        if !isSlave, !isFirst, line.hasPrefix(" ") || Self.details.contains(where: { line.hasPrefix($0) }) {
            return .known
        }
        while line.hasPrefix("Plug PCM: ") { line = line.dropFirst("Plug PCM: ".count) }
        return read(name: line)
    }

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

    /// `Hardware PCM card 1 'USB Audio' device 0 subdevice 0`: the card's name may be anything.
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
