import CaptureBase
import CaptureGate
import LinuxSystem

/// Surroundings of virtual devices that checks change: the played sound, and the card's gain.
///
/// *thread-safe*
final class VirtualBench: Sendable {
    private struct State {
        var played: PlayedSound?
        var volume: Int64 = 5
        var isOn: Int64 = 1
    }

    private let state = Locked(State())

    /// Sound that is played now.
    var played: PlayedSound? {
        get { state.withLock { $0.played } }
        set { state.withLock { $0.played = newValue } }
    }

    /// Gain as a factor; 0 while the card is muted.
    func gain(_ faults: FaultPlan) -> Double {
        let (volume, isOn) = state.withLock { ($0.volume, $0.isOn) }
        guard isOn == 1 || faults.ignoresMute else { return 0 }
        let level = Self.decibels(volume) + (volume == 2 ? faults.gainError : 0)
        return Double(power(10, Float(level / 20)))
    }

    /// Steps of 6 dB; the highest leaves the sound unchanged.
    private static func decibels(_ volume: Int64) -> Double { Double(volume - 5) * 6 }

    /// A volume and a switch, with their present values.
    var controls: [DeviceControl] {
        let (volume, isOn) = state.withLock { ($0.volume, $0.isOn) }
        return [
            DeviceControl(
                id: 1, name: "capture_volume", label: "Capture Volume", kind: .integer, range: 0...5,
                value: .integer(volume), decibels: ControlDecibels(range: -30...0, value: Self.decibels(volume))),
            DeviceControl(
                id: 2, name: "capture_switch", label: "Capture Switch", kind: .boolean, range: 0...1,
                value: .integer(isOn)),
        ]
    }

    /// Sets the control of a number.
    func set(_ number: Int64, of id: UInt32) {
        state.withLock { state in
            if id == 1 { state.volume = number } else { state.isOn = number }
        }
    }
}

/// Player into virtual microphones. Its first repetition begins when captures do, and each takes as long as it should.
///
/// *thread-safe*
struct VirtualPlayer: SoundPlayer {
    let bench: VirtualBench

    func play<Output: Sendable>(
        _ sound: PlayedSound, on name: String, while body: @Sendable () async throws(CaptureError) -> Output
    ) async throws(CaptureError) -> (output: Output, starts: [Int64]) {
        bench.played = sound
        let output = await outcome(of: body)
        bench.played = nil
        let starts = (1...64).map { VirtualDevice.epoch + sound.nanoseconds(sound.frames * $0) }
        return (try output.get(), starts)
    }
}

/// Mixer of a virtual card. *thread-safe*
struct VirtualMixer: SoundMixer {
    let bench: VirtualBench
    let hasControls: Bool

    func controls() async throws(CaptureError) -> [DeviceControl] { hasControls ? bench.controls : [] }

    func set(_ value: ControlValue, of control: DeviceControl) async throws(CaptureError) -> DeviceControl {
        guard case .integer(let number) = value, control.range.contains(number) else {
            throw CaptureError(.usage, "\(control.name) does not take \(value).")
        }
        bench.set(number, of: control.id)
        return bench.controls.first { $0.id == control.id } ?? control
    }
}
