import CaptureGate

extension CheckMakers {
    static func capabilities(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let found = CapabilityList(try await facts(context))
        let golden = try context.golden.bytes(for: context.planned, "txt", found: Array(found.text.utf8))
        return found.findings(golden: CapabilityList(text: String(decoding: golden, as: UTF8.self)))
    }

    /// All facts, for which the camera is opened with the gate's permission: once for its lists, and once for its controls.
    private static func facts(_ context: CheckContext) async throws(CaptureError) -> [String] {
        let purpose = "Read its formats, without capturing"
        let facts = try await context.queue.run(
            DeviceOperation(context.device(), purpose: purpose) {
                (permit: consuming DevicePermit) async throws(CaptureError) in
                try await DeviceInquiry.ask(permit) { (device) throws(CaptureError) in
                    try device.nodeFacts() + CapabilityList.facts(of: device.asked())
                }
            })
        let controls = try await context.queue.run(
            DeviceOperation(context.device(), purpose: purpose) {
                (permit: consuming DevicePermit) async throws(CaptureError) in
                let session = try await ControlSession(opening: permit)
                let controls = Result { () throws(CaptureError) in try session.controls() }
                await session.close("controls listed")
                return try controls.get()
            })
        return facts + controls.flatMap(CapabilityList.facts)
    }
}

/// List of what a camera says of itself, one fact a line: the same at each port, and whatever is set or connected.
///
/// *thread-safe*
struct CapabilityList: Hashable, Sendable {
    /// Sorted; each once.
    let facts: [String]

    init(_ facts: [String]) { self.facts = Set(facts).sorted() }

    /// Reads a golden file.
    init(text: String) { self.init(text.split(separator: "\n").map(String.init)) }

    var text: String { facts.map { $0 + "\n" }.joined() }

    /// Lines that either of two lists has alone.
    func findings(golden: CapabilityList) -> CheckFindings {
        let (own, other) = (Set(facts), Set(golden.facts))
        let missing = golden.facts.filter { !own.contains($0) }
        let added = facts.filter { !other.contains($0) }
        var findings = CheckFindings([
            Measure("missing", Double(missing.count), "lines", .lower),
            Measure("added", Double(added.count), "lines", .lower),
        ])
        findings.add(missing, "missing")
        findings.add(added, "added")
        return findings
    }

    /// Formats, sizes, rates and inputs. The signal at an input is not a fact of the camera.
    static func facts(of device: Device) -> [String] {
        var facts = device.inputs.map { input in
            "input: \(input.index) \(input.name.visible)"
                + input.standards.map { " \($0)" }.joined()
        }
        if case .video(let modes) = device.formats { facts += modes.flatMap(Self.facts) }
        return facts
    }

    private static func facts(of mode: VideoMode) -> [String] {
        let least = mode.smaller.map {
            "\($0.width)x\($0.height) to \(mode.width)x\(mode.height) in steps of \($0.widthStep)x\($0.heightStep)"
        }
        let size = "format: \(mode.pixelFormat) " + (least ?? "\(mode.width)x\(mode.height)")
        let rates = mode.frameRates.map { "\($0)" }
        if mode.takesRatesBetween { return ["\(size) at \(rates.reversed().joined(separator: " to "))"] }
        return rates.isEmpty ? [size] : rates.map { "\(size) at \($0)" }
    }

    /// A control and its items, without its value and whether it may be set now.
    static func facts(of control: DeviceControl) -> [String] {
        let standard = control.defaultValue.map { ", default \($0)" } ?? ""
        let flags = control.flags.intersection([.readOnly, .writeOnly, .volatile]).words.map { ", \($0)" }.joined()
        let range = "\(control.range.lowerBound) to \(control.range.upperBound) in steps of \(control.step)"
        return ["control: \(control.name) \(control.kind.rawValue) \(range)\(standard)\(flags)"]
            + control.items.map { "control: \(control.name) item \($0.number) \($0.name.visible)" }
    }
}
