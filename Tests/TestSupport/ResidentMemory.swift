import Foundation

/// The resident memory of this process.
public enum ResidentMemory {
    /// The resident memory now, in bytes; nil where the system does not tell it as Linux does.
    public static var byteCount: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let words = text.split(separator: " ")
        guard words.count > 1, let pages = Int(words[1]) else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}

/// The growth of memory over a long run of inputs.
///
/// Memory that each input leaves behind adds up over a hundred thousand of them. Memory that one input takes for a
/// moment is not seen.
public struct MemoryWatch {
    private var first: Int?
    private var most = 0

    /// A watch that has not looked yet.
    public init() {}

    /// Reads the memory once. All later looks are compared with the first, so make that when caches and pools are warm.
    public mutating func look() {
        guard let now = ResidentMemory.byteCount else { return }
        if first == nil { first = now }
        most = max(most, now)
    }

    /// The greatest growth since the first look, in bytes; 0 where the system does not tell the memory.
    public var grownByteCount: Int { most - (first ?? most) }
}
