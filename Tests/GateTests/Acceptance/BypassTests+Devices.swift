import GateTestKit
import Testing

@testable import Gate

extension Acceptance {
    /// "Any device" is the one that is found when the permit is made, and that one must be allowed.
    @Suite("Bypasses by devices")
    struct DeviceBypassTests {
        typealias Microphone = Capability.Microphone
        enum Lock {}

        /// Lets a capture of any microphone wait for a lock, changes the devices, and says how it ended.
        private func result(
            _ world: World, _ swap: () -> Void
        ) async -> (Capture<Microphone>, OperationResult<[DeviceID], CaptureError>) {
            let gate = Signal()
            let began = Signal()
            let holding = world.queue.add(
                ClosureOperation { _ in
                    began.raise()
                    await gate.reached()
                }.adding(MutuallyExclusive<Lock>()))
            await began.reached()
            let capture = Capture(Microphone(), conditions: [MutuallyExclusive<Lock>()])
            let handle = world.queue.add(capture)
            while world.gatekeeper.locks.waiting == 0, capture.executions.count == 0 { await Task.yield() }
            swap()
            gate.raise()
            let result = await handle.result
            await holding.result.ignore()
            return (capture, result)
        }

        @Test("A device swapped while waiting needs a yes of its own", arguments: Pace.allCases)
        func swapped(_ pace: Pace) async {
            let world = World(pace, answer: .dismissed)
            world.decide(.allow, device: .id(.mic))
            let (capture, result) = await result(world) {
                world.directory.set(.microphone, [.here("pci-mic", "Line In")])
            }
            #expect(result.error?.kind == .notAuthorized)
            #expect(capture.frames.count == 0 && world.store.events(.start).isEmpty)
        }

        @Test("A yes to any device does not outweigh a no to the one that is found", arguments: Pace.allCases)
        func deniedDevice(_ pace: Pace) async {
            let world = World(pace, answer: .dismissed)
            world.decide(.deny, device: .id(.otherMic))
            world.decide(.allow)
            let (capture, result) = await result(world) {
                world.directory.set(.microphone, [.here("pci-mic", "Line In")])
            }
            #expect(result.error?.kind == .notAuthorized)
            #expect(capture.frames.count == 0 && world.store.events(.start).isEmpty)
        }

        @Test("A device that is taken or unplugged while waiting is not opened", arguments: Pace.allCases)
        func lost(_ pace: Pace) async {
            let world = World(pace)
            world.decide(.allow)
            let (busy, refusal) = await result(world) {
                let holder = DeviceHolder(processID: 7, command: "obs")
                world.directory.set(.microphone, [.here("usb-mic", "Desk Mic", .busy(holder))])
            }
            #expect(refusal.error?.kind == .busy && busy.executions.count == 0)
            world.directory.set(.microphone, [.here("usb-mic", "Desk Mic")])
            let (absent, absence) = await result(world) { world.directory.set(.microphone, []) }
            #expect(absence.error?.kind == .noDevice && absent.executions.count == 0)
        }

        @Test("Of two devices of one operation neither is opened where one can't be", arguments: Pace.allCases)
        func together(_ pace: Pace) async {
            let world = World(pace)
            world.decide(.allow)
            world.decide(.allow, .camera, .video)
            world.directory.set(.camera, [.here("usb-cam", "HD Webcam", .busy(nil))])
            let capture = Capture(Capability.All(Microphone(), Capability.Camera()))
            #expect(await world.queue.add(capture).result.error?.kind == .busy)
            #expect(capture.executions.count == 0 && world.store.events(.start).isEmpty)
        }
    }
}
