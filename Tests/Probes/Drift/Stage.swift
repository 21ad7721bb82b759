import CaptureRig
import Dispatch
import FoundationEssentials
import Glibc
import ProbeKit
import Synchronization

/// Devices of the rig for measuring drift: a loopback whose rate can be shifted, and a camera that flashes when the played sound
/// has reached a click.
final class Stage {
    let cameraNode: String
    let camera: String
    let microphone: String
    let judges: String
    /// The rig's directory of scripts.
    let rig: String

    /// Frames of the player's clock from click to click: whole periods.
    private static let every = 36_480
    private static let playing = "/proc/asound/Loopback/pcm0p/sub0/status"
    private var running: [RunningProgram] = []

    init(cameraNode: String, camera: String, microphone: String, judges: String, rig: String) {
        self.cameraNode = cameraNode
        self.camera = camera
        self.microphone = microphone
        self.judges = judges
        self.rig = rig
    }

    /// Sets the loopback's clock, the player's as well as the recorder's: 100000 / 100050 of its rate is 499.75 ppm less.
    ///
    /// This is exact while only recording. While a player runs, the loopback's two sides round against each other, and it is up to
    /// 60 ppm faster than set: the kernel's own count then shows how fast it is.
    func shiftRate(to value: Int) throws(ProbeFailure) {
        for device in 0...1 {
            let control = "iface=PCM,name='PCM Rate Shift 100000',device=\(device)"
            try order("amixer", ["-q", "-c", "Loopback", "cset", control, "\(value)"])
        }
    }

    /// Sets a control of the camera.
    func setCamera(_ control: String) throws(ProbeFailure) { try order("v4l2-ctl", ["-d", cameraNode, "-c", control]) }

    /// Plays clicks for a number of seconds and ten more, and makes the camera flash with each.
    func clap(seconds: Int) throws(ProbeFailure) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw ProbeFailure("there is no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { for end in ends { close(end) } }
        var track = Program("\(judges)/click-track", ["\(seconds + 10)", "\(Self.every)"])
        track.outputDescriptor = ends[1]
        var player = Program(
            "aplay",
            [
                "-q", "-D", "hw:Loopback,0", "-t", "raw", "-f", "S16_LE", "-r", "48000", "-c", "2",
                "--period-size=960", "--buffer-size=9600",
            ])
        player.inputDescriptor = ends[0]
        running = [try player.start(), try track.start()]
        guard wait(seconds: 60, every: 100_000, until: { text(of: Self.playing).contains("RUNNING") }) else {
            throw ProbeFailure("nothing plays")
        }
        running.append(
            try Program("\(judges)/clapper", [cameraNode, Self.playing, "\(Self.every)"]).start())
    }

    /// Ends clicks and flashes.
    func hush() throws(ProbeFailure) {
        for program in running { program.send(SIGTERM) }
        for program in running { program.end() }
        running = []
        try setCamera("brightness=0")
    }

    private func order(_ program: String, _ arguments: [String]) throws(ProbeFailure) {
        let code = try Program(program, arguments).run()
        guard code == 0 else { throw ProbeFailure("\(program) \(arguments) ended with \(code)") }
    }
}

/// The kernel's position of the microphone, read every three seconds on a separate thread until it is stopped.
final class KernelClock: Sendable {
    private static let status = "/proc/asound/Loopback/pcm1c/sub0/status"
    private let isOver = Atomic(false)
    private let seen = Mutex<[Series.Point]>([])
    private let ended = DispatchSemaphore(value: 0)

    func start() {
        DispatchQueue(label: "kernel-clock").async {
            while !self.isOver.load(ordering: .relaxed) {
                self.look()
                usleep(3_000_000)
            }
            self.ended.signal()
        }
    }

    /// Stops reading.
    ///
    /// - Returns: points of a time in seconds, and the lead of the audio, in seconds.
    func stop() -> [Series.Point] {
        isOver.store(true, ordering: .relaxed)
        ended.wait()
        return seen.withLock { $0 }
    }

    private func look() {
        let status = text(of: Self.status)
        guard let time = value("tstamp", in: status), let frames = value("hw_ptr", in: status) else { return }
        seen.withLock { $0.append(Series.Point(time, frames / 48_000 - time)) }
    }

    private func value(_ name: String, in status: String) -> Double? {
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: ":").last.flatMap { Double($0.trimming) }
    }
}

extension Substring {
    /// Without spaces at its ends.
    var trimming: Substring {
        let start = drop { $0.isWhitespace }
        return start[..<(start.lastIndex { !$0.isWhitespace }.map(start.index(after:)) ?? start.startIndex)]
    }
}
