import Gate
import GateTestKit
import Testing

extension Acceptance {
    /// A permit is valid only for its own operation, device and capability, and only while the store agrees.
    @Suite("Bypasses by permits")
    struct PermitBypassTests {
        typealias Microphone = Capability.Microphone

        /// Keeps permits beyond their operation.
        final class Keeper: Sendable {
            private let kept = Locked<DevicePermit?>(nil)

            func keep(_ permit: consuming DevicePermit?) {
                var permit = Optional(permit)
                kept.withLock { $0 = permit.take() ?? nil }
            }

            /// Opens the microphone with a stored permit; returns whether there was one.
            func redeem(into frames: Signal) async throws(CaptureError) -> Bool {
                var permit = kept.withLock { $0.take() }
                guard let permit = permit.take() else { return false }
                let capture = try await permit.redeem(opening: .mic, as: .microphone)
                frames.raise()
                await capture.finish(frames: 1, bytes: 2, outcome: "done")
                return true
            }
        }

        /// An operation that leaves its permit with the keeper.
        private func keeping(_ keeper: Keeper) -> Inspecting<Microphone> {
            Inspecting(Microphone()) { permit in
                keeper.keep(permit.take(.mic))
                return []
            }
        }

        @Test("A permit kept from an earlier run opens nothing, granted or not", arguments: Pace.allCases)
        func kept(_ pace: Pace) async throws {
            for isRevoked in [false, true] {
                let world = World(pace)
                let (keeper, frames) = (Keeper(), Signal())
                let id = world.decide(.allow)
                try await world.queue.run(keeping(keeper))
                if isRevoked { world.revoke(id) }
                let error = await #expect(throws: CaptureError.self) { try await keeper.redeem(into: frames) }
                #expect(error?.kind == .notAuthorized && frames.count == 0)
                #expect(world.store.events(.start).isEmpty && world.store.events(.refusal).count == 1)
            }
        }

        @Test("A permit kept from an earlier run opens nothing in a later one", arguments: Pace.allCases)
        func keptForLater(_ pace: Pace) async throws {
            let world = World(pace)
            let (keeper, frames) = (Keeper(), Signal())
            world.decide(.allow)
            try await world.queue.run(keeping(keeper))
            let later = Inspecting(Microphone()) { _ throws(CaptureError) in
                _ = try await keeper.redeem(into: frames)
                return []
            }
            #expect(await world.queue.add(later).result.error?.kind == .notAuthorized)
            #expect(frames.count == 0 && world.store.events(.start).isEmpty)
        }

        @Test("A permit handed on by flatMap or inject opens nothing", arguments: Pace.allCases)
        func handedOn(_ pace: Pace) async {
            let world = World(pace)
            let (keeper, frames) = (Keeper(), Signal())
            world.decide(.allow)
            let opening = ClosureOperation { _ throws(CaptureError) in try await keeper.redeem(into: frames) }
            #expect(
                await world.queue.add(keeping(keeper).flatMap { _ in opening }).result.error?.kind == .notAuthorized)
            let first = world.queue.add(keeping(keeper))
            #expect(await world.queue.add(injecting: first) { _ in opening }.result.error?.kind == .notAuthorized)
            #expect(frames.count == 0 && world.store.events(.start).isEmpty)
        }

        @Test("A permit of another device or capability opens nothing", arguments: Pace.allCases)
        func otherDevice(_ pace: Pace) async {
            let world = World(pace)
            let frames = Signal()
            world.decide(.allow)
            for (id, name) in [(DeviceID.otherMic, CapabilityName.microphone), (.mic, .camera), (.cam, .camera)] {
                let operation = Inspecting(Microphone()) { permit throws(CaptureError) in
                    guard id == .mic || permit.take(id) == nil else { return ["taken"] }
                    guard let permit = permit.take(.mic) else { return ["none"] }
                    _ = try await permit.redeem(opening: id, as: name)
                    frames.raise()
                    return ["opened"]
                }
                #expect(await world.queue.add(operation).result.error?.kind == .notAuthorized)
            }
            #expect(frames.count == 0 && world.store.events(.start).isEmpty)
        }

        @Test("A permit opens its device once", arguments: Pace.allCases)
        func twice(_ pace: Pace) async throws {
            let world = World(pace)
            let operation = Inspecting(Microphone()) { permit throws(CaptureError) in
                guard let first = permit.take(.mic) else { return ["none"] }
                let capture = try await first.redeem(opening: .mic, as: .microphone)
                await capture.finish(frames: 1, bytes: 2, outcome: "done")
                return [permit.take(.mic) == nil ? "used up" : "again"]
            }
            #expect(try await world.queue.run(operation) == ["used up"])
        }

        @Test("What changes between permit and opening refuses the opening", arguments: Pace.allCases)
        func lostBeforeOpening(_ pace: Pace) async {
            let changes: [@Sendable (World) -> Void] = [
                { $0.decide(.deny) }, { $0.kill(.microphone) }, { $0.clock.pass(seconds: 3600) },
                { $0.decide(.allow, .microphone, .meter) },
                { $0.policy.set { _ in .deny(.init(cause: .killSwitch, reason: "No.", remedies: [])) } },
                { $0.store.fail(with: CaptureError(.store, "It is gone.")) },
            ]
            for change in changes {
                let world = World(pace)
                world.decide(.allow, for: .until(world.clock.now.later(seconds: 60)))
                let operation = Inspecting(Microphone()) { permit throws(CaptureError) in
                    change(world)
                    guard let permit = permit.take(.mic) else { return [] }
                    _ = try await permit.redeem(opening: .mic, as: .microphone)
                    return ["opened"]
                }
                #expect(await world.queue.add(operation).result.error != nil)
                world.store.fail(with: nil)
                #expect(world.store.events(.start).isEmpty)
            }
        }
    }
}
