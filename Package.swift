// swift-tools-version: 6.2
import PackageDescription

// `Tests/run` and CI set CAPTUREGATE_STRICT=1: a warning is then an error. People who build the
// package with a newer compiler are not stopped by a warning it learned since.
let strict = Context.environment["CAPTUREGATE_STRICT"] == "1"
let swift: [SwiftSetting] = strict ? [.treatAllWarnings(as: .error)] : []
// glibc's own checks of lengths, which want an optimised build. The stack protector is a flag that SwiftPM lets no library
// have: Samples/release-build passes it on the command line.
let c: [CSetting] =
    [.define("_FORTIFY_SOURCE", to: "3", .when(configuration: .release))]
    + (strict ? [.treatAllWarnings(as: .error)] : [])

// A hundred thousand relocations in two bits each instead of 24 bytes, and no symbols for others to find: the loader is a
// third of the page faults of the program's start. What the loader has written is read-only from then on: all names are
// looked up at the start, which with Swift's library inside the program are few. The C++ library that Swift's library is
// written with comes from its archive, by a linker script in Sources/Link: as a shared one it alone looks up 4,300 of the
// 6,100 names of a start. So do SQLite, libyaml, nettle and the codecs: each shared library takes a tenth of a millisecond
// of every start to find, map and relocate. This concerns the program alone, not those who depend on a library.
let quickStart = LinkerSetting.unsafeFlags(
    ["-use-ld=lld", "-Xclang-linker", "-static-libgcc", "-L", Context.packageDirectory + "/Sources/Link"]
        + ["-z", "pack-relative-relocs", "-z", "relro", "-z", "now", "--no-export-dynamic"]
        .flatMap { ["-Xlinker", $0] },
    .when(platforms: [.linux], configuration: .release))

// `Tests/run` and CI set CAPTUREGATE_TESTS=1: executables that scripts below Tests call are then built, too. Who uses the
// package, or builds its program, has none of them.
let isTested = Context.environment["CAPTUREGATE_TESTS"] == "1"
let probes: [Target] =
    !isTested
    ? []
    : [
        // What the conditions and prompters find on a machine.
        probe("MachineProbe", ["CaptureGate"]),
        // What encoders allocate a frame.
        probe("EncoderProbe", ["CaptureRecording", "CaptureRig", "CaptureGate"]),
        // Each call of the shims fails in turn during a recording; in debug builds alone.
        probe("FaultSweep", ["CaptureRecording", "CaptureGate", "GateTestKit", "CMedia"]),
        // Many cameras and microphones recorded in one process, and the cost of that.
        probe("ManyDevices", ["CaptureRecording", "CaptureGate", "GateTestKit"]),
        // How soon a capture ends whose permission does.
        probe("Revocations", ["CaptureRig", "ProbeKit"]),
        // What programs under supervision try to pass the gate by.
        probe("AttackProbe", ["CaptureGate", "Gate", "GateSupervisor", "GateTestKit", "LinuxSystem"]),
        // How well picture and sound stay together where clocks drift; for the rig.
        probe("Drift", ["CaptureRig", "ProbeKit"]),
        // That hours of captures need no more memory at their end, in virtual time.
        probe("Soak", ["CaptureRig", "CaptureGate"]),
        // Processor time that checks take to judge a stream.
        probe("CheckCost", ["CaptureRecording", "CaptureRig", "CaptureGate", "ProbeKit"]),
        // What it costs a task to wait for a camera's frames, and a thread.
        probe("ReadingCost", ["CaptureGate", "GateTestKit", "CaptureBase"]),
        // What it costs to lend a camera's frames to three processes.
        probe("SharedRingProbe", ["CaptureRealtime", "CaptureBase", "ProbeKit"]),
        // A broker for the tests of one user.
        probe("BrokerProbe", ["GateBroker", "CaptureBase", "LinuxSystem"]),
        // What the two have in common: programs to run, and their events.
        .target(name: "ProbeKit", path: "Tests/Probes/ProbeKit", swiftSettings: swift),
    ]

func sample(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Samples/\(name)", swiftSettings: swift)
}

func probe(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tests/Probes/\(name)", swiftSettings: swift)
}

// Tests encode hundreds of clips by the debug build: its loops over pixels are optimised there, and those that draw the pixels.
// The encoders' own tests then take half the time. Bounds and overflow are still checked. SwiftPM lets nobody depend on a package
// that sets this.
let swiftOfCodecs = swift + (isTested ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : [])

let package = Package(
    name: "capturegate",
    products: [
        .library(name: "CaptureGate", targets: ["CaptureGate"]),
        .library(name: "CaptureEncoding", targets: ["CaptureEncoding"]),
        .library(name: "CaptureRecording", targets: ["CaptureRecording"]),
        .library(name: "CaptureRig", targets: ["CaptureRig"]),
        .library(name: "GateTestKit", targets: ["GateTestKit"]),
        // What has Foundation in it, which the others do without.
        .library(name: "CaptureGateFoundation", targets: ["CaptureGateFoundation"]),
        .executable(name: "capturegate", targets: ["capturegate"]),
        .executable(name: "capturegated", targets: ["capturegated"]),
    ],
    // Encoders, and PipeWire, that not everybody wants. Their libraries are loaded when they are first used: a trait links
    // nothing. A build without an encoder says which command makes the file instead; one without PipeWire has hardware alone.
    traits: [
        .default(enabledTraits: ["MP4", "PipeWire"]),
        .trait(name: "MP4", description: "H.264 by OpenH264 and AAC by vo-aacenc, for .mp4 and .m4a"),
        .trait(name: "WebM", description: "VP8 and VP9 by libvpx, for .webm"),
        .trait(name: "AV1", description: "AV1 by SVT-AV1, for .webm, .mp4 and .mkv"),
        .trait(name: "PipeWire", description: "PipeWire's devices, and the gate for its programs"),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
    ],
    targets: [
        // A language border each: C shims without policy.
        .target(
            name: "CMedia",
            // The seam by which tests have calls to the system fail: a release build has none of it.
            cSettings: c + [.define("CM_FAULTS", .when(configuration: .debug))],
            linkerSettings: [.linkedLibrary("asound"), .linkedLibrary("v4lconvert"), .linkedLibrary("udev")]),
        // libsystemd is loaded when a bus is first spoken to.
        .target(
            name: "CSystem", cSettings: c,
            linkerSettings: [.linkedLibrary("nettle"), .linkedLibrary("sqlite3"), .linkedLibrary("yaml")]),
        // Its Swift half, which alone imports it.
        .target(name: "LinuxSystem", dependencies: ["CSystem", "CaptureBase"], swiftSettings: swift),
        .target(
            name: "CCodecs",
            // SwiftPM compiles every file of a target: the shims ask for these.
            cSettings: c + [
                .define("CC_HAS_MP4", .when(traits: ["MP4"])), .define("CC_HAS_WEBM", .when(traits: ["WebM"])),
                .define("CC_HAS_AV1", .when(traits: ["AV1"])),
            ],
            linkerSettings: [
                .linkedLibrary("FLAC"), .linkedLibrary("jpeg"), .linkedLibrary("turbojpeg"), .linkedLibrary("opus"),
                .linkedLibrary("ogg"), .linkedLibrary("png"),
            ]),

        // The floor of modules that may not see each other: no C, no gate.
        .target(name: "CaptureBase", swiftSettings: swift),

        // The fence: a compiler regime.
        .target(
            name: "CaptureRealtime", dependencies: ["CMedia", "CaptureBase"],
            swiftSettings: swift + [.strictMemorySafety()]),

        .target(
            name: "Gate", dependencies: ["CaptureBase", .product(name: "Logging", package: "swift-log")],
            exclude: ["Scheduler/README.md"], swiftSettings: swift),
        // Doubles for tests, also for those of apps.
        .target(name: "GateTestKit", dependencies: ["Gate"], swiftSettings: swift),
        .target(name: "GateStore", dependencies: ["Gate", "CaptureBase", "LinuxSystem"], swiftSettings: swift),
        .target(
            name: "CaptureGate",
            dependencies: ["Gate", "GateStore", "CaptureRealtime", "CaptureBase", "CMedia", "LinuxSystem"],
            swiftSettings: swift),
        // Level 1 of the gate: programs that know nothing of it.
        .target(
            name: "GateSupervisor", dependencies: ["CaptureGate", "Gate", "GateStore", "CaptureBase", "LinuxSystem"],
            swiftSettings: swift),
        // PipeWire's programs. Its library is loaded when its daemon is first spoken to.
        .target(
            name: "CPipeWire",
            cSettings: c + [
                .unsafeFlags(["-isystem", "/usr/include/pipewire-0.3", "-isystem", "/usr/include/spa-0.2"])
            ]),
        .target(
            name: "GatePipeWire",
            dependencies: ["CPipeWire", "CaptureGate", "CaptureRealtime", "CaptureBase", "Gate", "LinuxSystem"],
            swiftSettings: swift),
        // Level 2: a daemon that alone opens the devices, and lends their frames.
        .target(
            name: "GateBroker",
            dependencies: ["CaptureGate", "Gate", "GateStore", "CaptureRealtime", "CaptureBase", "LinuxSystem"],
            swiftSettings: swift),
        .executableTarget(
            name: "capturegated", dependencies: ["GateBroker", "CaptureGate", "LinuxSystem"], swiftSettings: swift,
            linkerSettings: [quickStart]),
        .target(
            name: "CaptureEncoding", dependencies: ["CaptureBase", "LinuxSystem", "CCodecs"],
            swiftSettings: swiftOfCodecs),
        .target(
            name: "CaptureRecording", dependencies: ["CaptureEncoding", "CaptureGate", "CaptureBase", "LinuxSystem"],
            swiftSettings: swift),
        .target(
            name: "CaptureRig",
            dependencies: [
                "CaptureRecording", "CaptureGate", "GateTestKit", "CaptureRealtime", "CaptureBase", "CMedia",
                "LinuxSystem",
            ],
            swiftSettings: swift),
        .target(name: "CaptureGateFoundation", dependencies: ["CaptureGate"], swiftSettings: swift),
        .executableTarget(
            name: "capturegate",
            dependencies: [
                "CaptureRecording", "CaptureRig", "CaptureGate", "GateStore", "GateSupervisor",
                .target(name: "GatePipeWire", condition: .when(traits: ["PipeWire"])), "LinuxSystem",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift, linkerSettings: [quickStart]),

        sample("ListDevices", ["CaptureGate"]),
        sample("FirstClip", ["CaptureGate", "CaptureRecording"]),
        sample("RecordMemo", ["CaptureGate", "CaptureRecording"]),
        sample("MeterMicrophone", ["CaptureGate", "CaptureRecording"]),
        sample("OwnCapability", ["CaptureGate"]),
        sample("SharedMicrophone", ["CaptureGate", "CaptureRecording"]),
        sample("OwnFormats", ["CaptureGate", "CaptureRecording"]),
        sample("RecordTakes", ["CaptureGate", "CaptureRecording"]),
        sample("TuneInstrument", ["CaptureGate", "CaptureRecording"]),
        sample("WatchMotion", ["CaptureGate", "CaptureRecording"]),
        sample("FollowGrants", ["CaptureGate"]),
        sample("ShowCapabilities", ["CaptureGate"]),

        .testTarget(
            name: "CameraAcceptanceTests", dependencies: ["CaptureRig", "CaptureGate"],
            path: "Samples/CameraAcceptanceTests", swiftSettings: swift),

        .testTarget(
            name: "CaptureRealtimeTests", dependencies: ["CaptureRealtime", "CaptureBase", "CMedia", "Gate"],
            swiftSettings: swift),
        .testTarget(name: "LinuxSystemTests", dependencies: ["LinuxSystem"], swiftSettings: swift),
        .testTarget(
            name: "GateTests", dependencies: ["Gate", "GateTestKit", .product(name: "Logging", package: "swift-log")],
            swiftSettings: swift),
        .testTarget(
            name: "GateStoreTests",
            dependencies: ["GateStore", "Gate", "LinuxSystem", "CSystem"],
            // Databases that an older program wrote.
            exclude: ["Fixtures/OldStores"],
            swiftSettings: swift),
        .testTarget(
            name: "CaptureGateTests", dependencies: ["CaptureGate", "GateTestKit", "GateStore", "LinuxSystem"],
            swiftSettings: swift),
        .testTarget(
            name: "GateBrokerTests",
            dependencies: [
                "GateBroker", "CaptureGate", "CaptureRealtime", "GateTestKit", "GateStore", "Gate", "CaptureBase",
                "LinuxSystem",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "GatePipeWireTests", dependencies: ["GatePipeWire", "CaptureGate", "CaptureBase"],
            swiftSettings: swift),
        .testTarget(
            name: "GateSupervisorTests", dependencies: ["GateSupervisor", "GateTestKit", "Gate", "CaptureBase"],
            swiftSettings: swift),
        .testTarget(
            name: "CaptureEncodingTests",
            dependencies: ["CaptureEncoding", "ClipScenery", "CaptureBase", "CCodecs", "LinuxSystem"],
            swiftSettings: swift),
        .testTarget(
            name: "CaptureRecordingTests",
            dependencies: ["CaptureRecording", "ClipScenery", "CaptureGate", "GateTestKit", "LinuxSystem"],
            swiftSettings: swift),
        // Media, recordings, a directory and judges for the tests of both.
        .target(
            name: "ClipScenery", dependencies: ["CaptureEncoding", "CaptureBase"], path: "Tests/ClipScenery",
            swiftSettings: swiftOfCodecs),
        .testTarget(
            name: "CaptureGateFoundationTests", dependencies: ["CaptureGateFoundation", "CaptureGate", "GateTestKit"],
            swiftSettings: swift),
        .testTarget(
            name: "CaptureRigTests", dependencies: ["CaptureRig", "CaptureRecording", "CaptureGate", "GateTestKit"],
            swiftSettings: swift),
        .testTarget(
            name: "CommandLineTests",
            dependencies: ["capturegate", "GateStore", "Gate", "LinuxSystem"],
            swiftSettings: swift),
    ] + probes
)

// A step of `Tests/run` names tests, probes and samples in CAPTUREGATE_ONLY or CAPTUREGATE_WITHOUT. CAPTUREGATE_ONLY leaves out
// all others. "Threads" is the suites in directories of that name, for the thread sanitizer.
func names(in variable: String) -> [Substring]? { Context.environment[variable]?.split(separator: " ") }
let (only, without) = (names(in: "CAPTUREGATE_ONLY"), names(in: "CAPTUREGATE_WITHOUT") ?? [])
package.targets.removeAll { target in
    let isLeaf = target.type == .test || target.type == .executable && target.path != nil
    let name = Substring(target.name)
    return isLeaf && (only?.contains(name) == false || without.contains(name))
}
for target in package.targets where ["CaptureGateTests", "CaptureRecordingTests"].contains(target.name) {
    if without.contains("Threads") { target.exclude = ["Threads"] }
    if only?.contains("Threads") == true { target.sources = ["Threads", "Support"] }
}

// The C shims may be called from this package's own targets alone. Samples are written as other packages are.
for target in package.targets where target.path?.hasPrefix("Samples/") != true {
    target.cSettings = (target.cSettings ?? []) + [.define("CAPTUREGATE_SHIMS")]
}
