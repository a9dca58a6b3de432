/// What the kernel says of the machine's memory.
enum MemoryFacts {
    /// What can be had without making others wait; without a limit where the kernel does not tell.
    static var availableByteCount: UInt64 {
        for line in ProcFile.words("/proc/meminfo") where line.first == "MemAvailable" {
            return line.count > 1 ? UInt64(line[1]).map { $0 << 10 } ?? .max : .max
        }
        return .max
    }
}
