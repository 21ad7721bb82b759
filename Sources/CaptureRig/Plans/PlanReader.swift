import LinuxSystem

/// Reads plans of a bench rig.
///
/// A plan is a text in YAML:
///
/// ```yaml
/// version: 1
/// name: Webcam on the desk        # by default the file's own name
/// profile: bench                  # whose limits count where the plan has none: bench or certification
/// golden: golden                  # directory of the golden files, which need not be there yet
/// include: [boards/desk.yaml]     # files with `version`, `include`, `devices` and `limits`
/// devices:
///   camera: {kind: camera, id: "usb:046d:0825:1234"}
///   mic: {kind: microphone, match: {name: "C270*", driver: snd-usb-audio, index: 0}}
/// limits:                         # for the whole plan, by check and measure
///   camera.rate:
///     frame_rate_error: {least: -0.5, most: 0.5, marginal: [-0.4, 0.4]}
/// checks:                         # one after another
///   - check: camera.rate
///     device: camera              # a list: once for each; a check of two takes `devices: [camera, mic]`
///     label: bright               # part of the result's name, for a check that is in the plan twice
///     for: 3 s                    # any parameter of the check by its name
///     matrix: {format: [YUYV, MJPG], size: [640x480, 1280x720], rate: [30]}
///     except: [{format: YUYV, size: 1280x720}]
///     repeat: 5
///     limits: {lost: {most: 0}, jitter: none}
///     before: [{run: [uhubctl, -a, on], within: 10 s}]
///     after: [{run: [light, off]}]
///   - parallel:                   # all at once, each device in one of them
///       - {check: camera.stream, device: camera}
///       - {check: sound.stream, device: mic}
///     repeat: 2
///   - run: [sleep, "1"]
///     within: 5 s
/// ```
///
/// *Files.* Paths in `include` are relative to the directory of the file that contains them, all others to that of the plan; so is
/// a program with a slash in its name, while one without is searched on PATH. A file counts once, however often it is included. A
/// device has one definition in all files together.
///
/// *Limits.* A check's own take precedence over the plan's, those over the included files', those over the profile's; of several
/// included files the last one counts. A limit replaces another one as a whole. `none` removes it. Numbers are in the measure's
/// unit, or have one that converts by a power of ten: `5 ms`. `marginal` takes two numbers, or one if the limit has one bound.
///
/// *Matrices.* The last parameter changes first, and the repeats of a variant follow one another. The result of the
/// second repeat is called `camera.rate.camera.YUYV-640x480-30.2`; characters other than letters and digits of ASCII,
/// `.`, `_` and `-` are replaced by `_`. Names must differ, and be at most 200 characters long; a plan has at most
/// 10,000 checks.
///
/// *Commands.* They run without a shell, and are killed after 30 s unless `within` is set.
///
/// Standard: YAML 1.1 without anchors and aliases. *thread-safe*
package enum PlanReader {
    /// Keys of a check in a plan. No parameter of the catalogue may have one of these names.
    package static var reservedKeys: [String] { PlanEntry.keys }

    /// Reads a plan and what it includes. No device is looked for and no program is run.
    ///
    /// - Parameters:
    ///   - path: of the plan, absolute or relative to the working directory.
    ///   - catalogue: all checks that there are.
    ///   - profile: used instead of the plan's.
    /// - Returns: the plan, or `nil` if there is a mistake; all mistakes, by file in the order of reading and then by
    ///   position.
    package static func read(
        _ path: String, catalogue: [CheckDefinition], profile: RigPlan.Profile? = nil
    ) -> (plan: RigPlan?, diagnostics: [PlanDiagnostic]) {
        var files = PlanFiles()
        let file = files.plan(at: path)
        let plan = file.map { Self.plan($0, of: files, PlanCatalogue(catalogue), profile) }
        let diagnostics = files.mistakes.flatMap { $0.found.sorted(by: stands) }
        return (diagnostics.isEmpty ? plan : nil, diagnostics)
    }

    /// True for a mistake that comes before another one in the same file.
    private static func stands(_ one: PlanDiagnostic, before other: PlanDiagnostic) -> Bool {
        (one.line, one.column) < (other.line, other.column)
    }

    /// The plan of what could be read; its mistakes are in the files'.
    private static func plan(
        _ file: PlanFile, of files: PlanFiles, _ catalogue: PlanCatalogue, _ override: RigPlan.Profile?
    ) -> RigPlan {
        let directory = PlanPath.directory(of: file.mistakes.file)
        let real = try? FileSystem.realPath(of: directory)
        let values = PlanValues(mistakes: file.mistakes, directory: real ?? directory)
        let board = PlanBoard(of: file, catalogue: catalogue)
        let profile = override ?? Self.profile(file.keys["profile"], file.mistakes)
        let reader = PlanEntryReader(
            values: values, catalogue: catalogue, board: board, hasAllDevices: files.isComplete)
        var steps = PlanSteps(reader: reader, profile: profile)
        return RigPlan(
            name: file.keys["name"].flatMap { file.mistakes.word($0) } ?? PlanPath.stem(of: file.mistakes.file),
            profile: profile, golden: golden(file.keys["golden"], values),
            devices: board.order.compactMap { board.devices[$0] ?? nil },
            steps: checks(of: file).map { steps.steps($0) } ?? [])
    }

    private static func checks(of file: PlanFile) -> YAMLNode? {
        if let checks = file.keys["checks"] { return checks }
        file.mistakes.report("The list of `checks` is missing. Write at least one.", at: file.root)
        return nil
    }

    private static func profile(_ node: YAMLNode?, _ mistakes: PlanMistakes) -> RigPlan.Profile {
        guard let node, let word = mistakes.word(node) else { return .bench }
        if let profile = RigPlan.Profile(rawValue: word) { return profile }
        mistakes.reportUnknown(word, "a profile", among: RigPlan.Profile.allCases.map(\.rawValue), at: node)
        return .bench
    }

    /// The directory of the golden files. It may be missing, since `--accept` makes it, but nothing else may have its
    /// name.
    private static func golden(_ node: YAMLNode?, _ values: PlanValues) -> String {
        let path = values.absolute(node.flatMap { values.mistakes.word($0) } ?? "golden")
        if let status = try? FileStatus.of(path).get(), status.kind != .directory {
            values.mistakes.report(
                "\(PlanMistakes.quoted(path)) is not a directory. Write `golden: DIRECTORY` for the golden files.",
                at: node?.position)
        }
        return path
    }
}
