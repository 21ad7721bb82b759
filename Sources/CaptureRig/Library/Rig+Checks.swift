import CaptureGate
import LinuxSystem

extension Rig {
    /// Runs one check of the catalogue, as a plan does, and judges it by the limits of the profile.
    ///
    /// Faults of the device, also a missing device or a missing permission, are in the result: a verdict that is not good and a
    /// sentence.
    ///
    /// ```swift
    /// let result = try await rig.check("camera.rate", on: camera, parameters: ["size": "1280x720", "for": "10 s"])
    /// #expect(result.verdict.isGood, "\(result)")
    /// ```
    ///
    /// - Parameters:
    ///   - name: name of the check: `camera.loss`.
    ///   - devices: the devices that the check takes, in its order: one, a camera and a microphone, or none.
    ///   - parameters: values by their names, written as in a plan; by default the catalogue's.
    ///   - limits: by the measure's name, each instead of the profile's; `Limit()` has no bound.
    /// - Throws: `.usage` for an unknown check, parameter, value or measure, with the one that was probably meant, and for devices
    ///   that the check does not take.
    public func check(
        _ name: String, on devices: Device..., parameters: [String: String] = [:], limits: [String: Limit] = [:]
    ) async throws(CaptureError) -> CheckResult {
        let check = try CheckCatalogue.known(name)
        try check.takes(devices)
        // Golden files are called by the result's name, and so by the device's stable id.
        let named = devices.map {
            PlannedDevice(
                name: RigWords.identifier($0.id.rawValue), kind: $0.capability == .camera ? .camera : .microphone,
                selector: .id($0.id.rawValue))
        }
        let planned = PlannedCheck(
            name: ([name] + named.map(\.name)).joined(separator: "."), check: name, devices: named.map(\.name),
            parameters: try check.values(parameters),
            limits: check.limits(of: profile ?? .bench).merging(try check.known(limits)) { $1 })
        let plan = RigPlan(
            name: name, profile: profile ?? .bench, golden: golden, devices: named, steps: [.check(planned)])
        let results = await run(plan, among: devices).results()
        if let result = results.first { return result }
        throw CaptureError(.unavailable, "The check \(name) has no result.")
    }

    /// A run of a plan on this bench.
    func run(_ plan: RigPlan, among devices: [Device]) -> RigRun {
        var options = RigRun.Options()
        (options.accepts, options.directory) = (acceptsGolden, directory)
        return RigRun(plan, gatekeeper: gatekeeper, among: devices, options: options, streams: virtual)
    }
}

extension CheckResult {
    /// A number that the check measured, in its measure's unit.
    ///
    /// - Throws: `.usage` for a name that no measure of the check has, with the one that was probably meant; `.unavailable` for a
    ///   number that could not be measured, which is all of them if the check is an error.
    public func value(_ measure: String) throws(CaptureError) -> Double {
        if measures.isEmpty { throw CaptureError(.unavailable, description) }
        return try measures.number(of: measure)
    }
}

extension CheckResult: CustomStringConvertible {
    /// One clause for the message of a test: `camera.loss.test_bars: fail: lost is 4 frames (exactly 0): fail`.
    public var description: String {
        "\(name.visible): \(verdict.rawValue)" + (explanation.map { ": \($0)" } ?? "")
    }
}

extension CheckCatalogue {
    /// The check of a name that a person wrote.
    ///
    /// - Throws: `.usage` with the name that was probably meant.
    fileprivate static func known(_ name: String) throws(CaptureError) -> CheckDefinition {
        if let check = check(name) { return check }
        throw .unknown(name, "a check", among: all.map(\.name))
    }
}

extension CheckDefinition {
    /// Limits of a profile, by the measure's name.
    fileprivate func limits(of profile: Rig.Profile) -> [String: Limit] {
        measures.reduce(into: [:]) { $0[$1.name] = profile == .bench ? $1.bench : $1.certification }
    }

    /// The same limits, whose names the check has.
    fileprivate func known(_ limits: [String: Limit]) throws(CaptureError) -> [String: Limit] {
        let names = measures.map(\.name)
        for name in limits.keys.sorted() where !names.contains(name) {
            throw .unknown(name, "a measure of `\(self.name)`", among: names)
        }
        return limits
    }

    /// - Throws: `.usage` unless the devices are those that the check takes.
    fileprivate func takes(_ devices: [Device]) throws(CaptureError) {
        let kinds = self.devices.map(\.rawValue)
        guard kinds != devices.map(\.capability.rawValue) else { return }
        let needs = kinds.isEmpty ? "no device" : "a " + kinds.joined(separator: " and a ")
        throw CaptureError(.usage, "`\(name)` takes \(needs).")
    }

    /// Values of parameters, those of the catalogue included.
    fileprivate func values(_ texts: [String: String]) throws(CaptureError) -> [String: PlanValue] {
        let reader = PlanValues(
            mistakes: PlanMistakes(in: name), directory: (try? FileSystem.realPath(of: ".")) ?? ".")
        var values = reader.standards(of: self, at: YAMLNode(.list([]), at: .start))
        for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
            guard let parameter = parameters.first(where: { $0.name == key }) else {
                throw .unknown(key, "a parameter of `\(name)`", among: parameters.map(\.name))
            }
            guard let value = reader.value(text, of: parameter, at: .start) else {
                throw CaptureError(
                    .usage, "`\(key)` must be \(parameter.kind.spelling), not \(PlanMistakes.quoted(text)).")
            }
            values[key] = value
        }
        return values
    }
}

extension YAMLPosition {
    /// Position of a text that is in no file.
    fileprivate static let start = YAMLPosition(line: 1, column: 1)
}

extension CaptureError {
    fileprivate static func unknown(_ word: String, _ kind: String, among known: [String]) -> CaptureError {
        CaptureError(
            .usage, "\(PlanMistakes.quoted(word)) is not \(kind): \(PlanMistakes.advice(on: word, among: known)).")
    }
}
