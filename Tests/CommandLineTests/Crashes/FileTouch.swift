import Glibc

/// Tells when somebody writes a file, whether or not it is there already.
final class FileTouch: Sendable {
    private let descriptor: Int32
    private let name: String

    init(of name: String, in folder: String) throws {
        self.name = name
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0, inotify_add_watch(descriptor, folder, UInt32(IN_MODIFY | IN_CREATE)) >= 0 else {
            throw Failure("\(folder) can't be watched")
        }
    }

    deinit { close(descriptor) }

    /// Returns at once when the file is written, or when the program has ended and never will.
    func wait(orEndOf process: pid_t) throws {
        while true {
            var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&item, 1, 20) > 0, isNamed() { return }
            var info = siginfo_t()
            // The program is not reaped here: the reader of its status does that.
            if waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo != 0 { return }
        }
    }

    private func isNamed() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 && String(decoding: bytes[..<count], as: UTF8.self).contains(name + "\0")
    }
}
