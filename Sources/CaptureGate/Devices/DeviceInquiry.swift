import Gate
import LinuxSystem

/// Questions to a device that a permit names: it is opened, and neither streams nor is set.
///
/// *thread-safe*
package enum DeviceInquiry {
    /// Asks, between two lines of the audit log. A grant for once is used up.
    ///
    /// - Parameters:
    ///   - permit: of one device, of any level.
    ///   - body: opens the device, or has another program open it, and closes it.
    /// - Throws: `.notAuthorized` if the permission has gone meanwhile, `.noDevice`; what the body throws.
    package static func ask<Answer: Sendable>(
        _ permit: consuming DevicePermit,
        _ body: @Sendable (Device) async throws(CaptureError) -> Answer
    ) async throws(CaptureError) -> Answer {
        let (id, capability) = (permit.device.id, permit.capability)
        let device = try DeviceCatalog.device(id, capability)
        guard let lowest = capability.levels.first else {
            throw CaptureError(.notAuthorized, "\(id) is not a microphone or a camera.")
        }
        let capture = try await permit.redeem(opening: id, as: capability, for: lowest)
        do throws(CaptureError) {
            let answer = try await body(device)
            await capture.finish(frames: 0, bytes: 0, outcome: "formats read")
            return answer
        } catch {
            await capture.finish(frames: 0, bytes: 0, outcome: error.message)
            throw error
        }
    }
}

extension Device {
    /// The same device with its formats, sizes, rates and inputs.
    ///
    /// - Throws: the error of the first call that failed: a partial list would be mistaken for a complete one.
    package func asked() throws(CaptureError) -> Device {
        if isBuiltIn || provided != nil { return self }
        if let node = nodes.first, NodeAccess.restriction(on: node) != nil, let told = try askedByBroker() {
            return told
        }
        let reading: FormatQueryResult
        if capability == .camera {
            reading = CameraFormats.read(nodes.first ?? "")
        } else {
            reading = MicrophoneFormats.read(pcmName ?? "")
        }
        if let fault = reading.fault { throw fault.error(self) }
        return with(reading)
    }

    /// The same device with the answers that the machine's broker has from it; `nil` if there is no broker.
    func askedByBroker() throws(CaptureError) -> Device? {
        guard let broker = BrokerLink.machine else { return nil }
        let reply = try broker.wait(for: .formats(DeviceChoice(id, capability)))
        guard case .formats(let told) = reply.body else { throw BrokerFault.kind.error }
        var reading = FormatQueryResult()
        (reading.formats, reading.inputs) = (told.formats, told.inputs)
        return with(reading)
    }

    /// Driver, name and capabilities of a camera's node, one per line, without facts that depend on the port.
    ///
    /// - Returns: nothing for a device without a node.
    package func nodeFacts() throws(CaptureError) -> [String] {
        guard let path = nodes.first else { return [] }
        do throws(DeviceCallError) {
            let node = try CameraNode(opening: path)
            let (driver, card, capabilities) = try node.capability()
            return [
                "card: \(card.visible)", "driver: \(driver.visible)",
                "capabilities: 0x" + String(capabilities, radix: 16),
            ]
        } catch {
            throw error.error(self)
        }
    }

    /// Opens a camera a second time while it streams, and asks for buffers of both kinds.
    package func openedAgain() -> SecondOpening {
        do throws(DeviceCallError) {
            let node = try CameraNode(opening: nodes.first ?? "")
            let capabilities = try node.capability().capabilities
            return SecondOpening(
                refusals: Dictionary(
                    uniqueKeysWithValues: SecondOpening.Memory.allCases.map { ($0, node.refusal(of: $0, capabilities)) }
                ))
        } catch {
            let others = DeviceHolders.holdings(of: nodes.first ?? "").map(\.holder)
            return SecondOpening(failure: error.error(self), holders: others)
        }
    }
}

/// Outcome of opening a camera that streams a second time.
///
/// *thread-safe*
package struct SecondOpening: Hashable, Sendable {
    /// Kind of buffers that a program asks for.
    package enum Memory: String, Hashable, Sendable, CaseIterable {
        case mapped = "MMAP"
        case own = "USERPTR"
    }

    /// Error of opening it, or of asking what it can do.
    package var failure: CaptureError?
    /// Other programs that hold the node, if it could not be opened.
    package var holders: [DeviceHolder] = []
    /// Error number of each request for buffers; 0 for one that was granted.
    package var refusals: [Memory: Int32] = [:]

    package init(failure: CaptureError? = nil, holders: [DeviceHolder] = [], refusals: [Memory: Int32] = [:]) {
        self.failure = failure
        self.holders = holders
        self.refusals = refusals
    }
}
