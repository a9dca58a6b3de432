import ModelSigning
import ModelWire

/// The signatures that a replica looks at, and what it has seen of them.
struct SignatureCheck {
    let rules: SignatureRules
    var verifier = SealVerifier()
    /// The comparisons of the copy here with signed heads.
    var copies = SignedCopies()
    /// The batch that was looked at last had to be sealed, and was.
    var hasSeenSeal = false
    /// The budget of verifications on the merging thread.
    private var verifications = TokenBucket()
    private static let verificationRate = RequestBudget.Rate(burst: 256, perSecond: 256)
    /// The stream that was looked up last, with the keys that may seal it; nil for one that need not be sealed.
    private var recent: (key: StreamKey, keys: [VerifyingKey]?)?
    /// The keys of the origins' starts; empty for an origin that signs nothing which has to be signed.
    private var startKeys: [String: [VerifyingKey]] = [:]
    /// When the log was told last of each kind of fault of an origin.
    private var told: [String: UInt64] = [:]
    private var nextSweep: UInt64 = 0

    /// How many origins' keys are remembered, and of how many the log is told.
    private static let originCountMax = 1024
    private static let pauseMicroseconds: UInt64 = 60_000_000

    init(_ rules: SignatureRules) { self.rules = rules }

    /// The keys that may seal the stream; nil where it need not be sealed.
    mutating func keys(of key: StreamKey) -> [VerifyingKey]? {
        if let recent, recent.key == key { return recent.keys }
        let type = key.topic.type ?? ""
        let keys = rules.requiresSignature(of: type) ? rules.keys(of: type, as: key.origin) : nil
        recent = (key, keys)
        return keys
    }

    /// The keys that may prove a start of the origin.
    mutating func keys(ofStartsOf origin: String) -> [VerifyingKey] {
        if let known = startKeys[origin] { return known }
        let keys = rules.keys(ofStartsOf: origin)
        if startKeys.count >= SignatureCheck.originCountMax { startKeys.removeAll() }
        startKeys[origin] = keys
        return keys
    }

    /// A seal may be verified on the merging thread.
    mutating func mayVerify(at time: UInt64) -> Bool {
        verifications.take(of: SignatureCheck.verificationRate, at: time)
    }

    /// Takes note that something of an origin was dropped.
    /// - Returns: whether the log is to be told, which it is once a minute for each kind and origin.
    mutating func isNews(_ kind: Counters.Name, of origin: String, at time: UInt64) -> Bool {
        let key = "\(kind.rawValue) \(origin)"
        if let last = told[key], time < last + SignatureCheck.pauseMicroseconds { return false }
        if told.count >= SignatureCheck.originCountMax, time >= nextSweep {
            nextSweep = time + 1_000_000
            told = told.filter { time < $0.value + SignatureCheck.pauseMicroseconds }
        }
        guard told.count < SignatureCheck.originCountMax else { return false }
        told[key] = time
        return true
    }
}
