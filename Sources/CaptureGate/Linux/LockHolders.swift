import CSystem
import Gate

/// Finds who has a file locked by flock(2), as /proc/locks tells (proc_locks(5)).
package enum LockHolders {
    /// - Returns: a process that holds the lock; `nil` where none does, or it is hidden: one of another PID namespace has no
    ///   number here.
    package static func holder(of path: String) -> DeviceHolder? {
        var status = cs_file_status()
        guard cs_stat(path, &status) >= 0, let locks = SmallFile.text("/proc/locks", limit: 4 << 20) else { return nil }
        let process = holders(in: locks, of: status.inode).first {
            $0.device == number(of: status) || has($0.process, status)
        }
        return process.map { holder in
            let command = SmallFile.text("/proc/\(holder.process)/comm") ?? "?"
            return DeviceHolder(processID: holder.process, command: VisibleText.of(command))
        }
    }

    /// The processes that hold a lock on a file of that number, and the device it is on, as the text has it.
    ///
    /// - Parameter locks: lines such as `1: FLOCK  ADVISORY  WRITE 712 00:2f:1234 0 EOF`. Who waits has `->` in second place.
    static func holders(in locks: String, of inode: UInt64) -> [(process: Int32, device: Substring)] {
        locks.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 5, fields[1] == "FLOCK", let process = Int32(fields[4]), process > 0,
                let border = fields[5].lastIndex(of: ":"), UInt64(fields[5][border...].dropFirst()) == inode
            else { return nil }
            return (process, fields[5][..<border])
        }
    }

    private static func number(of status: cs_file_status) -> String {
        var (major, minor): (UInt32, UInt32) = (0, 0)
        cs_device_numbers(status.device, &major, &minor)
        return hexadecimal(major) + ":" + hexadecimal(minor)
    }

    /// Two digits at least, as the kernel prints them.
    private static func hexadecimal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16)
        return digits.utf8.count < 2 ? "0" + digits : digits
    }

    /// Some file systems, such as btrfs, tell a file's owner another device than /proc/locks.
    private static func has(_ process: Int32, _ file: cs_file_status) -> Bool {
        SmallFile.names(in: "/proc/\(process)/fd").contains { number in
            var status = cs_file_status()
            guard cs_stat("/proc/\(process)/fd/\(number)", &status) >= 0 else { return false }
            return status.inode == file.inode && status.device == file.device
        }
    }
}
