/// The format of digests.
public enum Digests {
    /// Sixteen hexadecimal digits.
    public static func text(_ digest: UInt64) -> String {
        let digits = String(digest, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
