import ArgumentParser
import CaptureGate

/// What a shell offers for the name of a device. It looks in udev alone, opens nothing and asks nobody.
enum DeviceCompletion {
    static var camera: CompletionKind { kind { $0 == .camera } }
    static var microphone: CompletionKind { kind { $0 == .microphone } }
    /// Of a camera or a microphone, as it is said elsewhere.
    static var any: CompletionKind { kind { _ in true } }

    /// - Parameter words: what may be said instead of a device.
    static func camera(or words: [String]) -> CompletionKind { kind(words) { $0 == .camera } }
    static func microphone(or words: [String]) -> CompletionKind { kind(words) { $0 == .microphone } }

    private static func kind(
        _ words: [String] = [], _ isWanted: @escaping @Sendable (CapabilityName) -> Bool
    ) -> CompletionKind {
        .custom { (_: [String], _: Int, _: String) in
            // What would have to be escaped is no word that can be typed.
            words
                + DeviceCatalog.scan(.identity).filter { isWanted($0.capability) }.map(\.id.rawValue)
                .filter { $0 == $0.visible }.map(spelled)
        }
    }

    /// In zsh, what follows a bare colon is a description.
    private static func spelled(_ id: String) -> String {
        CompletionShell.requesting == .zsh ? id.replacing(":", with: "\\:") : id
    }
}
