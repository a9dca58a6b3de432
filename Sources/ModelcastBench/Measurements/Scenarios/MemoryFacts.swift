/// The machine's memory, as the kernel tells it.
enum MemoryFacts {
    /// How many bytes can be used without swapping; the greatest number where the kernel does not tell.
    static var availableByteCount: UInt64 {
        for line in ProcFile.words("/proc/meminfo") where line.first == "MemAvailable" {
            return line.count > 1 ? UInt64(line[1]).map { $0 << 10 } ?? .max : .max
        }
        return .max
    }
}
