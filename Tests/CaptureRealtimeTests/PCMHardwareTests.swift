import CaptureRealtime
import Testing

/// All cards that the name of a PCM leads to, as libasound reports them.
@Suite("Hardware behind a PCM", .serialized)
struct PCMHardwareTests {
    private static func card(_ number: Int, _ device: Int = 0, named name: String = "Loopback") -> String {
        "Hardware PCM card \(number) '\(name)' device \(device) subdevice 0\n"
    }

    private static let setup = "Its setup is:\n  stream       : CAPTURE\n  access       : MMAP_INTERLEAVED\n"

    private static func multi(_ slaves: [String]) -> String {
        "Multi PCM\n  Channel bindings:\n    0: slave 0, channel 0\n" + setup
            + slaves.enumerated().map { "Slave #\($0): \($1)" }.joined()
    }

    static let known: [(String, Set<String>)] = [
        (card(1), ["hw:1,0"]), (card(0, 7, named: "A 'device 9 subdevice 9") + setup, ["hw:0,7"]),
        ("Plug PCM: " + card(2, 1), ["hw:2,1"]), ("Null PCM\n", []),
        (
            "Plug PCM: Rate conversion PCM (48000, sformat=S16_LE)\nConverter: linear-interpolation\n"
                + "Protocol version: 10002\n" + setup + "Slave: " + card(3), ["hw:3,0"]
        ),
        (
            "Hooks PCM\nSlave: Plug PCM: Route conversion PCM (sformat=S16_LE)\n  Transformation table:\n    0 <- 0\n"
                + "Slave: " + card(1), ["hw:1,0"]
        ),
        ("Direct Snoop PCM\n" + setup + card(1) + setup + "  appl_ptr     : 0\n", ["hw:1,0"]),
        (multi([card(0), card(1)]), ["hw:0,0", "hw:1,0"]),
        (
            multi(["Null PCM\n", "Plug PCM: " + card(1), multi([card(2), card(3, 4)])]), ["hw:1,0", "hw:2,0", "hw:3,4"]
        ),
        (
            "Soft volume PCM\nControl: Mic\nmin_dB: -51\nmax_dB: 0\nresolution: 256\nSlave: " + multi([card(5)]),
            ["hw:5,0"]
        ),
    ]

    @Test("Of known plugins every slave is found, nested ones too", arguments: known)
    func found(dump: String, names: Set<String>) {
        let hardware = PCMHardware(dump: dump)
        #expect(hardware.names == names)
        #expect(hardware.isComplete)
    }

    @Test(
        "What is not known for certain may be any microphone",
        arguments: [
            "", "\n", "IO-PCM Plugin\n", "ALSA <-> PulseAudio PCM I/O Plugin\n", "Some Plugin\nSlave: " + card(1),
            "File PCM (file=/dev/null)\nSlave: " + card(1), "File PCM (file=x\nNull PCM)\nSlave: " + card(1),
            "Share PCM\n  Channel bindings:\n    0: 0\nSlave: " + card(1), "Shm PCM\n", "Plug PCM: ", "Plug PCM: \n",
            multi([card(0), "Slave #2: " + card(1)]), multi([card(0), "\n"]), multi([card(0), "Shm PCM\n"]),
            "Hooks PCM\nSlave: ", "Direct Snoop PCM\n" + setup, "Multi PCM\n", card(1) + card(2), " Null PCM\n",
            "Hardware PCM card x 'y' device 0 subdevice 0\n", "Hardware PCM card 1 'y\n' device 0 subdevice 0\n",
            "LADSPA PCM\n  Playback:\n  Capture:\nSlave: " + card(1), "External PCM Plugin\nSlave: " + card(1),
        ])
    func unknown(dump: String) {
        #expect(!PCMHardware(dump: dump).isComplete, "\(dump.debugDescription)")
    }

    /// Through the real libasound, by the configuration of `Tests/PacedPCM`.
    @Test(
        "Plugins of libasound tell of themselves what was expected, those of others are not known",
        arguments: [
            ("null", true), ("plug:null", true), ("nulls", true), ("nested_nulls", true), ("hooked_null", true),
            ("paced", false), ("plug:paced", false), ("paced_and_null", false), ("file_of_null", false),
            ("null_like_hardware", false),
        ])
    func opened(name: String, isComplete: Bool) throws {
        let hardware = try PCMSource(opening: name).hardware
        #expect(hardware.names.isEmpty)
        #expect(hardware.isComplete == isComplete)
    }
}
