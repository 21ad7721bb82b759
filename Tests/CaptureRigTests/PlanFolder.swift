import CaptureRig
import Foundation
import Testing

/// A directory of plans for one test, gone with it.
final class PlanFolder: Sendable {
    let path: String

    init() throws {
        let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        path = "\(base)/capturegate-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

    /// Not by `Data`, and never over an old file: both wait until the disk has the bytes, for 2,000 plans ten seconds.
    func write(_ bytes: [UInt8], to name: String) throws {
        if let slash = name.lastIndex(of: "/") {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(name[..<slash])", withIntermediateDirectories: true)
        }
        unlink("\(path)/\(name)")
        let file = try #require(fopen("\(path)/\(name)", "w"))
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        fclose(file)
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
    }

    /// Reads a plan of this directory; the mistakes are without the directory's path.
    func read(
        _ name: String = "plan.yaml", profile: RigPlan.Profile? = nil
    ) -> (plan: RigPlan?, mistakes: [String]) {
        let (plan, diagnostics) = PlanReader.read("\(path)/\(name)", catalogue: Self.catalogue, profile: profile)
        return (plan, diagnostics.map { $0.description.replacingOccurrences(of: "\(path)/", with: "") })
    }

    /// Writes a plan and reads it.
    func read(text: String, profile: RigPlan.Profile? = nil) throws -> (plan: RigPlan?, mistakes: [String]) {
        try write(text, to: "plan.yaml")
        return read(profile: profile)
    }

    /// A small catalogue with a parameter of each kind, checks of no, one and two devices, and units that convert.
    static let catalogue = [
        CheckDefinition(
            "camera.rate", [.camera], "Frames a second.", method: "", source: "",
            parameters: [
                .init("for", .duration, "", standard: "3 s"), .init("format", .word, ""), .init("size", .size, ""),
                .init("rate", .rate, ""), .init("tries", .count, "", standard: "1"), .init("share", .number, ""),
                .init("modes", .words, "", standard: "[one, two]"), .init("chart", .path, "", standard: "chart.png"),
                .init("light", .command, ""),
            ],
            measures: [
                .init(
                    "frame_rate_error", "%", .target, "", bench: .within(0.5, of: 0),
                    certification: .within(0.1, of: 0)),
                .init("lost", "frames", .lower, "", bench: Limit(most: 0)),
                .init("jitter", "ms", .lower, "", bench: Limit(most: 3)),
                .init("black", "", .lower, ""),
            ]),
        CheckDefinition(
            "camera.stream", [.camera], "", method: "", source: "",
            measures: [.init("lost", "frames", .lower, "", bench: Limit(most: 0))]),
        CheckDefinition(
            "sound.stream", [.microphone], "", method: "", source: "",
            measures: [.init("lost", "frames", .lower, "", bench: Limit(most: 0))]),
        CheckDefinition(
            "sync.offset", [.camera, .microphone], "", method: "", source: "",
            measures: [.init("offset", "ms", .target, "", bench: .within(20, of: 0))]),
        CheckDefinition(
            "machine.scheduling", [], "", method: "", source: "", measures: [.init("late", "us", .lower, "")]),
    ]

    /// Everything that a plan may contain.
    static let example = """
        version: 1
        name: Webcam on the bench       # for reports
        profile: bench
        golden: golden
        include: [boards/bench.yaml]
        devices:
          camera: {kind: camera, id: "usb:046d:0825:1234"}
        limits:
          camera.rate:
            frame_rate_error: {least: -0.4, most: 0.4 %, marginal: [-0.3, 0.3]}
        checks:
          - check: camera.rate
            device: camera
            label: bright
            for: 500 ms
            share: -1.5e-2
            modes: [fast, slow]
            chart: charts/a.png
            light: [light, on]
            matrix: {format: [YUYV, MJPG], size: [640x480, 1280x720], rate: [30000/1001]}
            except: [{format: YUYV, size: 1280x720}]
            repeat: 2
            limits: {lost: {most: 1, marginal: 0}, jitter: none, black: {most: 1 %}}
            before: [{run: [uhubctl, -a, on], within: 10 s}]
            after: {run: [./light, "off", ""]}
          - parallel:
              - {check: camera.stream, device: camera}
              - {check: sound.stream, device: mic}
            repeat: 2
          - run: [sleep, "1"]
            within: 5 s
          - {check: sync.offset, devices: [camera, mic]}
          - check: machine.scheduling

        """

    static let board = """
        version: 1
        devices:
          mic: {kind: microphone, match: {name: "C270*", driver: snd-usb-audio, index: 0}}
          spare: {kind: camera, match: {}}
        limits:
          camera.rate: {frame_rate_error: none, jitter: {most: 2000 us}}
          sound.stream: {lost: {most: 5}}

        """
}
