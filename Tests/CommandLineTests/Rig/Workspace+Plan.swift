extension Workspace {
    /// Writes `plan.yaml` with the built-in devices `bars` and `tone`, and `gone`, which does not exist.
    ///
    /// - Parameter checks: one per line, like items of a YAML list, without the dash.
    func plan(_ checks: String..., name: String = "bench") throws {
        let steps = checks.map { "  - \($0)\n" }.joined()
        try write(
            """
            version: 1
            name: \(name)
            devices:
              bars: {kind: camera, id: "test:bars"}
              tone: {kind: microphone, id: "test:tone"}
              gone: {kind: camera, id: "usb:1234:5678:none"}
            checks:
            \(steps)
            """, to: "plan.yaml")
    }

    /// A workspace whose store allows both built-in devices for a day's work.
    static func bench() async throws -> Workspace {
        let workspace = try Workspace()
        for capability in ["camera", "microphone"] {
            let ending = try await workspace.capturegate("grant", capability, "--for", "8h")
            guard ending.code == 0 else { throw Failure(ending.errors) }
        }
        return workspace
    }

    /// The results of a report by their names.
    func results(_ file: String = "out/report.json") throws -> [String: Document] {
        let results = try Document(try text(file))["results"].elements
        return Dictionary(results.map { ($0["name"].string ?? "", $0) }) { first, _ in first }
    }

    /// Verdicts of a report by the names of the results.
    func verdicts(_ file: String = "out/report.json") throws -> [String: String] {
        try results(file).mapValues { $0["verdict"].string ?? "" }
    }
}

/// Steps of plans.
enum PlanStepText {
    static let present = "{check: camera.present, device: bars}"
    static let rate = "{check: camera.rate, device: bars, for: 200 ms}"
    static let sound = "{check: sound.xruns, device: tone, for: 200 ms}"
    static let failing = "{check: camera.rate, device: bars, for: 200 ms, limits: {frame_rate: {least: 1000}}}"
    static let missing = "{check: camera.rate, device: gone, for: 200 ms}"
    /// Runs until it is stopped.
    static let endless = "{check: camera.loss, device: bars, for: 1 h}"
    /// Waits until the report has been written with the first check in it.
    static let afterReport = """
        {check: sound.xruns, device: tone, for: 100 ms, before: [{run: [sh, -c, "until grep -q '\\"verdict\\":\\"pass\\"' \
        out/report.json; do sleep 0.01; done"], within: 5 min}]}
        """
}
