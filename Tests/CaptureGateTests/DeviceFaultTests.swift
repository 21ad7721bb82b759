import CMedia
import CaptureRealtime
import Gate
import LinuxSystem
import Testing

@testable import CaptureGate

@Suite("What a device's fault is called")
struct DeviceFaultTests {
    private static let rate30 = FrameRate(unchecked: 30, 1)
    private static let modes = [
        VideoMode(pixelFormat: .yuyv, width: 1280, height: 720, frameRates: [rate30, FrameRate(unchecked: 5, 1)]),
        VideoMode(pixelFormat: .yuyv, width: 640, height: 480, frameRates: [rate30]),
        VideoMode(pixelFormat: .mjpeg, width: 1280, height: 720, frameRates: [FrameRate(unchecked: 60, 1), rate30]),
    ]

    private static func device(
        _ capability: CapabilityName, _ availability: Availability = .available, _ modes: [VideoMode] = []
    ) -> Device {
        Device(
            id: DeviceID(rawValue: "\(capability):usb-1"), name: "Bench", capability: capability,
            availability: availability,
            ambiguity: nil,
            nodes: [], pcmName: nil, formats: .video(modes))
    }

    private func withoutBandwidth(_ pixelFormat: PixelFormat, _ modes: [VideoMode]) -> CaptureError? {
        let format = VideoFormat(
            width: 1280, height: 720, pixelFormat: pixelFormat, frameRate: Self.rate30, bytesPerLine: 2560)
        let fault = DeviceFault(device: Self.device(.camera, .available, modes), format: format)
        return fault.end(LoopResult(.failed, fault: RealtimeFault(.streamOn, result: -ENOSPC)), gate: nil).error
    }

    @Test("Without USB bandwidth for raw pictures, the same size compressed is named, no faster than was asked")
    func compressed() throws {
        let error = try #require(withoutBandwidth(.yuyv, Self.modes))
        #expect(error.kind == .unavailable)
        #expect(error.message.contains("USB bandwidth"))
        #expect(error.remedies.first?.text.contains("1280x720 MJPG at 30 fps") == true)
        #expect(
            error.remedies.first?.action
                == .record(
                    Remedy.Mode(
                        device: "camera:usb-1", width: 1280, height: 720, frameRate: Self.rate30, pixelFormat: .mjpeg)))
    }

    @Test("Where nothing is compressed, it is the most that half of the bandwidth carries")
    func smaller() throws {
        let error = try #require(withoutBandwidth(.yuyv, Array(Self.modes.dropLast())))
        #expect(error.remedies.first?.text.contains("640x480 YUYV at 30 fps") == true)
    }

    @Test("Where the camera has nothing that needs less, no mode is named")
    func nothingFits() throws {
        let error = try #require(withoutBandwidth(.mjpeg, [Self.modes[2]]))
        #expect(error.remedies.first?.action == .listFormats(device: "camera:usb-1"))
        #expect(error.remedies.count == 2)
    }

    @Test(
        "A microphone that a sound server holds can be had through it",
        arguments: ["pipewire", "pulseaudio", "wireplumber"])
    func soundServer(command: String) {
        let holder = DeviceHolder(processID: 7, command: command)
        let error = DeviceFault(device: Self.device(.microphone)).busy(holder: holder, call: "snd_pcm_open")
        #expect(error.kind == .busy)
        #expect(error.message.contains("used by process 7 (\(command))"))
        #expect(error.remedies.map(\.action) == [.recordThroughServer])
    }

    @Test("Of another program that holds it, or of a camera, the remedy is to end that program")
    func otherHolder() {
        let others: [(CapabilityName, String)] = [(.microphone, "arecord"), (.camera, "pipewire")]
        for (capability, command) in others {
            let holder = DeviceHolder(processID: 7, command: command)
            let error = DeviceFault(device: Self.device(capability)).busy(holder: holder, call: "open")
            #expect(error.remedies.map(\.command) == ["kill 7"])
        }
    }

    @Test("A holder that /proc does not show is called hidden")
    func hidden() {
        let fault = DeviceFault(device: Self.device(.microphone))
        let error = fault.busy(holder: nil, call: "snd_pcm_open", isRoot: false)
        #expect(error.message.contains("used by a hidden process"))
        #expect(error.remedies.map(\.action) == [.showHiddenHolders])
        #expect(error.kind == .busy)
    }

    @Test("Root, to whom no process is hidden, is not told to become root")
    func hiddenFromRoot() {
        let fault = DeviceFault(device: Self.device(.camera))
        let error = fault.busy(holder: nil, call: "VIDIOC_S_FMT", isRoot: true)
        #expect(error.message.contains("no visible process uses it"))
        #expect(!error.remedies.contains { $0.text.contains("root") || $0.action == .showHiddenHolders })
        #expect(error.kind == .busy)
    }

    @Test("A pipeline whose parts do not fit is to be set up, not plugged in again", arguments: [EPIPE, ENOLINK])
    func pipeline(errno: Int32) throws {
        let fault = RealtimeFault(.streamOn, result: -errno)
        let error = try #require(
            DeviceFault(device: Self.device(.camera)).end(LoopResult(.failed, fault: fault), gate: nil).error)
        #expect(error.message.contains("pipeline that is not set up"))
        #expect(error.remedies.map(\.command) == ["media-ctl --print-topology"])
        #expect(!error.remedies.contains { $0.text.contains("lug it in") })
        #expect(error.kind == .inputOutput)
    }

    @Test("Who has a file locked is read from /proc/locks, who waits for it is not")
    func locks() {
        let locks = """
            1: FLOCK  ADVISORY  WRITE 712 00:2f:1234 0 EOF
            1: -> FLOCK  ADVISORY  WRITE 800 00:2f:1234 0 EOF
            2: POSIX  ADVISORY  WRITE 713 00:2f:1234 0 EOF
            3: FLOCK  ADVISORY  WRITE 714 fe:01:12345 0 EOF
            4: FLOCK  ADVISORY  WRITE 0 fe:01:1234 0 EOF
            """
        let found = LockHolders.holders(in: locks, of: 1234)
        #expect(found.map(\.process) == [712] && found.map(\.device) == ["00:2f"])
    }

    @Test("The machine's choice of a microphone is the sound server's where that holds all there are")
    func defaultOfServer() throws {
        let server = DeviceHolder(processID: 7, command: "pipewire")
        let held = Self.device(.microphone, .busy(server))
        #expect(try DeviceQuery.default.pick(from: [held], .microphone).id.rawValue == "alsa:default")
        let free = Self.device(.microphone)
        #expect(try DeviceQuery.default.pick(from: [held, free], .microphone) == free)
        let other = Self.device(.microphone, .busy(DeviceHolder(processID: 8, command: "arecord")))
        #expect(try DeviceQuery.default.pick(from: [other], .microphone) == other)
    }
}
