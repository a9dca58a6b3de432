import ModelRecord
import ModelWire

/// Two ids that are equal as texts, as each writes the same letters in another way, while their bytes differ.
///
/// Both lie in one bucket, so that whatever finds models by text takes one for the other.
public let twins: (String, String) = {
    let first = spelled(0)
    let bucket = Fingerprint.bucket(idHash: Fingerprint.fnv(first))
    let others = (1..<4_096).lazy.map(spelled)
    return (first, others.first { Fingerprint.bucket(idHash: Fingerprint.fnv($0)) == bucket } ?? first)
}()

/// Twelve letters with an accent: each bit says whether the accent is a character of its own.
private func spelled(_ ways: Int) -> String {
    (0..<12).reduce(into: "") { $0 += ways >> $1 & 1 == 1 ? "e\u{301}" : "\u{E9}" }
}
