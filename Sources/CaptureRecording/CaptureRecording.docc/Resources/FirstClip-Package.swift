// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "FirstClip",
    dependencies: [.package(path: "../capturegate", traits: [.defaults])],
    targets: [
        .executableTarget(
            name: "FirstClip",
            dependencies: [
                .product(name: "CaptureGate", package: "capturegate"),
                .product(name: "CaptureRecording", package: "capturegate"),
            ])
    ]
)
