import CaptureRig
import Foundation
import Testing

/// The plans that the project gives to its users.
@Suite("sample plans")
struct SamplePlanTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Samples/rig-plans").standardizedFileURL.path

    private static func plan(_ name: String) throws -> RigPlan {
        let (plan, mistakes) = PlanReader.read("\(folder)/\(name).yaml", catalogue: CheckCatalogue.all)
        #expect(mistakes.map(\.description) == [])
        return try #require(plan)
    }

    @Test(
        "each is read without a mistake",
        arguments: ["vivid-and-aloop", "uvc-webcam", "usb-microphone", "eight-cameras"])
    func read(name: String) throws {
        let plan = try Self.plan(name)
        #expect(!plan.checks.isEmpty)
        let used = Set(plan.checks.flatMap(\.devices))
        #expect(used == Set(plan.devices.map(\.name)), "a board has no device that its plan leaves out")
    }

    @Test("there is no other plan beside them, and each board is a part of one")
    func complete() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        #expect(
            names.filter { $0.hasSuffix(".yaml") }.sorted()
                == ["eight-cameras.yaml", "usb-microphone.yaml", "uvc-webcam.yaml", "vivid-and-aloop.yaml"])
        let boards = try FileManager.default.contentsOfDirectory(atPath: "\(Self.folder)/boards")
        #expect(boards.sorted() == ["eight.yaml", "microphone.yaml", "vivid-and-aloop.yaml", "webcam.yaml"])
    }

    @Test("together they have every check of the catalogue")
    func everyCheck() throws {
        let names = ["vivid-and-aloop", "uvc-webcam", "usb-microphone", "eight-cameras"]
        let used = Set(try names.flatMap { try Self.plan($0).checks.map(\.check) })
        #expect(CheckCatalogue.all.map(\.name).filter { !used.contains($0) } == [])
    }

    @Test("the webcam's is of the profile for certification, whose limits are the stricter ones")
    func certification() throws {
        let plan = try Self.plan("uvc-webcam")
        #expect(plan.profile == .certification)
        let rate = try #require(CheckCatalogue.check("sound.rate")?.measures.first { $0.name == "sound_rate_error" })
        #expect(rate.certification?.most ?? .infinity < rate.bench?.most ?? 0)
        #expect(try Self.plan("vivid-and-aloop").profile == .bench)
    }

    @Test("eight cameras are captured at once, and sixteen streams with their microphones")
    func parallel() throws {
        let groups = try Self.plan("eight-cameras").steps.compactMap { step in
            if case .parallel(let checks) = step { checks.count } else { nil }
        }
        #expect(groups == [4, 4, 4, 8, 8, 8, 16, 4, 8])
    }

    @Test("every program that they run in their own folder is there and may be run")
    func programs() throws {
        for name in ["vivid-and-aloop", "uvc-webcam", "usb-microphone", "eight-cameras"] {
            for command in try Self.plan(name).commands {
                let program = try #require(command.arguments.first)
                #expect(program.hasPrefix("\(Self.folder)/commands/"))
                #expect(FileManager.default.isExecutableFile(atPath: program), "\(program)")
            }
        }
    }
}

extension RigPlan {
    /// All programs, wherever they are in the plan.
    fileprivate var commands: [PlanCommand] {
        let ofSteps = steps.compactMap { step in
            if case .command(let command) = step { command } else { nil }
        }
        let ofChecks = checks.flatMap { check in
            check.before + check.after
                + check.parameters.values.compactMap { value in
                    if case .command(let command) = value { command } else { nil }
                }
        }
        return ofSteps + ofChecks
    }
}
