import Gate

/// The programs that hold sound cards to share them among others.
enum AudioServer {
    /// As /proc/PID/comm has them, which is 15 characters long at most.
    private static let commands: Set<String> = [
        "pipewire", "pipewire-pulse", "wireplumber", "pulseaudio", "jackd", "jackdbus",
    ]

    static func isOne(_ holder: DeviceHolder) -> Bool { commands.contains(holder.command) }
}
