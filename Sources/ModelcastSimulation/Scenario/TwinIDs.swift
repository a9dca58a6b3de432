import ModelRecord
import ModelWire

/// Ids in pairs whose texts are equal, as each writes the same characters in another way, while their bytes differ.
///
/// Both lie in one bucket, so that whatever finds models by text takes one for the other.
enum TwinIDs {
    /// Enough letters for some pair in one bucket: they can be written in 2,048 ways.
    private static let letterCount = 11

    /// The id of a model of the pair that a number belongs to: 0 and 1 are a pair, so are 2 and 3.
    static func id(_ prefix: String, _ number: Int) -> String {
        let base = "\(prefix)\(number / 2)"
        let first = spelled(base, 0)
        guard number % 2 == 1 else { return first }
        let wanted = bucket(first)
        return (1..<(1 << letterCount)).lazy.map { spelled(base, $0) }.first { bucket($0) == wanted } ?? first
    }

    /// The base, and letters with an accent: each bit says whether the accent is a character of its own.
    private static func spelled(_ base: String, _ ways: Int) -> String {
        (0..<letterCount).reduce(into: base) { $0 += ways >> $1 & 1 == 1 ? "e\u{301}" : "\u{E9}" }
    }

    private static func bucket(_ id: String) -> Int { Fingerprint.bucket(idHash: Fingerprint.fnv(id)) }
}
