import Foundation

/// The memory of this process that is in use now.
public enum ResidentMemory {
    /// In bytes; nil where the system does not tell it as Linux does.
    public static var byteCount: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let words = text.split(separator: " ")
        guard words.count > 1, let pages = Int(words[1]) else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}

/// How much more memory a long run of inputs takes than it took when it had begun.
///
/// What one input leaves behind, a hundred thousand make visible; what a single one takes for a moment is not seen.
public struct MemoryWatch {
    private var first: Int?
    private var most = 0

    public init() {}

    /// Looks once. The first look is what all later ones are compared with: take it when caches and pools are warm.
    public mutating func look() {
        guard let now = ResidentMemory.byteCount else { return }
        if first == nil { first = now }
        most = max(most, now)
    }

    /// The greatest growth seen, in bytes; 0 where memory cannot be told.
    public var grownByteCount: Int { most - (first ?? most) }
}
