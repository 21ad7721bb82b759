// error: cannot find 'PlanReader' in scope
// Tests of hardware are written with the bench alone; what reads plans may change.
import CaptureGate
import CaptureRig

public func lost(by name: String, reportingTo directory: String) async throws -> Int {
    var rig = Rig()
    rig.directory = directory
    let camera = try rig.camera(name)
    let report = try await rig.run(planAt: "plan.yaml", only: ["camera.*"])
    let result = try await rig.check("camera.loss", on: camera, limits: ["lost": Limit(most: 0)])
    guard report.verdict.isGood, result.verdict.isGood else { return Int(try result.value("lost")) }
    #if VIOLATION
        _ = PlanReader.self
    #endif
    return try await rig.stream(camera, for: .seconds(3)).lost
}

public func virtual(_ faults: FaultPlan) -> Rig { Rig(virtual: [.camera("camera", faults: faults)]) }
