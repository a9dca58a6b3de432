import Foundation

/// The kernel's figures about this process and others.
enum ProcessFigures {
    /// The resident memory of this process, in bytes.
    static var residentByteCount: UInt64 { residentByteCount(of: "self") }

    /// The resident memory of another process, in bytes; 0 when it has ended.
    static func residentByteCount(of process: Int32) -> UInt64 { residentByteCount(of: "\(process)") }

    private static func residentByteCount(of process: String) -> UInt64 {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { UInt64($0) } ?? 0
        return pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The processor time that all threads have used, in seconds.
    static var processorSeconds: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

    /// The processor time that this thread has used, in seconds.
    static var threadProcessorSeconds: Double { seconds(CLOCK_THREAD_CPUTIME_ID) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The bytes that the loopback interface has carried, headers included; nil where the kernel does not tell.
    static var loopbackByteCount: UInt64? {
        guard let text = try? String(contentsOfFile: "/sys/class/net/lo/statistics/tx_bytes", encoding: .utf8) else {
            return nil
        }
        return UInt64(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
