import Gate
import GateTestKit

/// Reasons against a capture, and a world for each.
enum Refused: CaseIterable, Sendable {
    case denied, killed, policy, policyUnreadable, node, absent, unreadable, unknown, dismissed, tooLow, expired

    /// Reasons about which nobody is asked, permanently.
    static let restrictions: [Refused] = [.killed, .policy, .policyUnreadable, .node, .unreadable, .unknown]

    /// Nobody allows anything in it; if somebody is asked, the question is dismissed.
    func world(_ pace: Pace) -> World {
        let unknown = CaptureError(.unavailable, "There is no /proc.")
        let world = World(pace, answer: .dismissed, subject: self == .unknown ? .failure(unknown) : nil)
        switch self {
        case .denied: world.decide(.deny)
        case .killed:
            world.decide(.allow)
            world.kill(.microphone)
        case .policy: refuse(world, .policy(PolicyOrigin(file: "a.yaml", line: 1)))
        case .policyUnreadable: refuse(world, .policyUnreadable(file: "a.yaml"))
        case .node:
            world.decide(.allow)
            let restriction = Restriction(cause: .nodePermissions(node: "/dev/snd"), reason: "No.", remedies: [])
            world.directory.set(.microphone, [.restricted("usb-mic", restriction)])
        case .absent:
            world.decide(.allow)
            world.directory.set(.microphone, [])
        case .unreadable:
            world.decide(.allow)
            world.store.fail(with: CaptureError(.store, "It is torn."))
        case .unknown: world.decide(.allow)
        case .dismissed: break
        case .tooLow: world.decide(.allow, .microphone, .meter)
        case .expired:
            world.decide(.allow, for: .until(world.clock.now.later(seconds: 60)))
            world.clock.pass(seconds: 60)
        }
        return world
    }

    private func refuse(_ world: World, _ cause: Restriction.Cause) {
        world.decide(.allow)
        world.policy.set { _ in .deny(Restriction(cause: cause, reason: "No.", remedies: [])) }
    }
}

extension DeviceResolution {
    static func restricted(_ id: String, _ restriction: Restriction) -> DeviceResolution {
        DeviceResolution(
            device: DeviceDescription(id: DeviceID(rawValue: id), name: "Desk Mic"), availability: .available,
            restriction: restriction)
    }
}
