import CaptureGate
import Gate
import LinuxSystem

/// Takes streams back from a program whose permission has ended.
///
/// It searches all processes of the run for open files of the device, and stops their streams. If it can't find or stop one, it
/// ends everything that the run started. On Linux 6.10 or newer, a hostile program can start a stopped stream again.
///
/// *thread-safe*
final class TakeBack: Sendable {
    /// The run, which is ended if nothing else helps.
    private let process: ConfinedProcess
    /// Tells the person what became of the stream.
    private let notice: Supervisor.Notice

    init(process: ConfinedProcess, notice: @escaping Supervisor.Notice) {
        self.process = process
        self.notice = notice
    }

    /// Stops a capture's streams, on a separate thread.
    func begin(_ capture: SupervisedCapture, _ reason: CaptureEndReason) {
        let isBegun = SupervisedRun.thread {
            let outcome = self.stop(capture)
            if !outcome { self.process.kill() }
            let error = reason.error(capture.permission.device, as: capture.permission.capability)
            self.notice(error.message + (outcome ? " The stream was stopped." : " The program was ended."))
            Task { await capture.finish(outcome ? "the stream was revoked" : "the program was ended") }
        }
        if !isBegun { process.kill() }
    }

    /// - Returns: false if anything may still deliver frames.
    private func stop(_ capture: SupervisedCapture) -> Bool {
        // Files that are being opened or started now are finished first, and found then.
        guard capture.settle(within: 50) else { return false }
        for _ in 0..<Self.mostSearches {
            capture.beginCount()
            guard stopAll(of: capture) else { return false }
            // One that was passed from process to process may have slipped through the search.
            if !capture.hasHidden { return true }
        }
        return false
    }

    /// If a program opens files faster than this number of searches, the run is ended instead of searched again.
    private static let mostSearches = 3

    /// Stops each open file of the device that a process of the run has.
    ///
    /// - Returns: false if one can't be stopped.
    private func stopAll(of capture: SupervisedCapture) -> Bool {
        let nodes = capture.nodes
        for id in ProcessFile.tree(below: process.guardID) {
            guard let other = try? RemoteProcess(thread: id) else { continue }
            for number in ProcessFile.names(in: "/proc/\(id)/fd").compactMap({ Int32($0) }) {
                guard case .success(let status) = FileStatus.of("/proc/\(id)/fd/\(number)"),
                    status.kind == .characterDevice, nodes.contains(status.node),
                    let file = try? other.descriptor(number), (try? FileStatus.of(file).get().node) == status.node
                else { continue }
                try? capture.note(file)
                guard Self.stop(file, capture.permission.capability) else { return false }
            }
        }
        return true
    }

    /// Stops one open file, whatever its owner does with it meanwhile: it can't start it again.
    private static func stop(_ file: borrowing FileDescriptor, _ capability: CapabilityName) -> Bool {
        capability == .camera ? stopCamera(file) : stopMicrophone(file)
    }

    /// Releases the buffers, too: mapped buffers get no more frames. A device that supports read(2) then gets new buffers at once,
    /// which nobody may start: read(2) is not reported, but fails with EBUSY while there are buffers.
    private static func stopCamera(_ file: borrowing FileDescriptor) -> Bool {
        let isReadable = Self.isReadable(file)
        var isHeld = !isReadable
        for kind in bufferKinds {
            var number = bytes(kind)
            var buffers =
                bytes(isReadable ? 1 : 0) + bytes(kind) + bytes(memoryMapped) + [UInt8](repeating: 0, count: 8)
            do throws(Errno) {
                _ = try ProxyCall.control(file, StreamRequest.streamOff, &number)
                _ = try ProxyCall.control(file, StreamRequest.requestBuffers, &buffers)
                isHeld = true
            } catch  where nothingToStop.contains(error) || error == .resourceBusy && !isReadable {
                // If it is busy, another open file owns the stream, and is stopped itself.
                continue
            } catch {
                // EBUSY: it is read, not streamed; nobody can stop that.
                return false
            }
        }
        return isHeld
    }

    /// True if read(2) can return frames, too: V4L2_CAP_READWRITE of the node itself.
    private static func isReadable(_ file: borrowing FileDescriptor) -> Bool {
        var facts = [UInt8](repeating: 0, count: 104)
        do throws(Errno) {
            _ = try ProxyCall.control(file, StreamRequest.capabilities, &facts)
        } catch {
            return !nothingToStop.contains(error)
        }
        let (all, own) = (LittleEndian.number(facts, at: 84, 4), LittleEndian.number(facts, at: 88, 4))
        return (all & 0x8000_0000 != 0 ? own : all) & 0x0100_0000 != 0
    }

    /// A descriptor that is being closed, or a device that is gone, delivers nothing; nor does a media controller's.
    private static let nothingToStop: Set<Errno> = [
        .invalidArgument, .noSuchDevice, .inappropriateControl, .badFileDescriptor,
    ]

    /// Drops the stream: to start it again takes a request that is reported.
    private static func stopMicrophone(_ file: borrowing FileDescriptor) -> Bool {
        for request in [StreamRequest.drop, StreamRequest.compressedStop] {
            do throws(Errno) {
                _ = try ProxyCall.control(file, request)
                return true
            } catch  where error == .inappropriateControl || error == .invalidArgument {
                continue
            } catch {
                // Not set up, so that it delivers nothing; or the device is gone.
                return true
            }
        }
        // OSS: it starts again with the next read.
        return false
    }

    private static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }

    /// V4L2_BUF_TYPE_VIDEO_CAPTURE, its multiplanar sister, VBI, sliced VBI, SDR and metadata: linux/videodev2.h.
    private static let bufferKinds: [UInt32] = [1, 9, 4, 6, 11, 13]
    /// V4L2_MEMORY_MMAP.
    private static let memoryMapped: UInt32 = 1
}
