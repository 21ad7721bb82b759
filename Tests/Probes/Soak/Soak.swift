import CaptureGate
import CaptureRig
import Glibc

/// Eight hours of a camera and of a microphone in virtual time, alone in a process: its memory is the capture's.
///
/// usage: Soak FOLDER
@main
struct Soak {
    static func main() async {
        guard CommandLine.arguments.count == 2 else {
            print("usage: Soak FOLDER")
            exit(64)
        }
        let report = TAPReport()
        do {
            let gate = try Gatekeeper.system(storeIn: CommandLine.arguments[1], prompter: BenchPrompter())
            for name in ["camera.soak", "sync.soak"] { try await run(name, gate, report) }
        } catch {
            report.check("The soak can be made", false, "\(error)")
        }
        exit(report.finish())
    }

    private static func run(_ name: String, _ gate: Gatekeeper, _ report: TAPReport) async throws {
        let devices = [
            PlannedDevice(name: "camera", kind: .camera, selector: .id("test:bars")),
            PlannedDevice(name: "microphone", kind: .microphone, selector: .id("test:tone")),
        ]
        guard let check = CheckCatalogue.check(name) else { return report.check("There is a check \(name)", false) }
        let limits = check.measures.compactMap { measure in measure.bench.map { (measure.name, $0) } }
        let planned = PlannedCheck(
            name: name, check: name, devices: check.devices.map(\.rawValue), limits: Dictionary(limits) { $1 })
        let plan = RigPlan(
            name: "soak", profile: .bench, golden: "/nowhere", devices: devices, steps: [.check(planned)])
        let run = RigRun(plan, gatekeeper: gate, among: DeviceCatalog.scan(.identity), streams: VirtualStreams())
        for result in await run.results() {
            for measure in result.measures {
                let value = measure.value.map { "\($0) \(measure.unit)" } ?? "not measured"
                report.check("\(name): \(measure.name) is within its limit", measure.verdict.isGood, value)
                report.note("\(name): \(measure.name) \(value)")
            }
            report.note("\(name): \(result.seconds) s")
            report.check("\(name) passes", result.verdict.isGood, result.message ?? "")
        }
    }
}
