import ModelGrants
import ModelWire

/// The rights of a sender's key to speak, and the origins of which it has said what it may not.
struct SenderRights {
    /// The owner of the key.
    let grantee: Grantee
    /// The stream that was allowed last, so that a burst of batches is looked up once.
    private var allowed: StreamKey?
    /// The origins of which the log was told that the sender may not speak for them.
    private var told: Set<String> = []

    /// How many origins the log is told of. More are counted only.
    private static let toldCountMax = 256

    init(of grantee: Grantee) { self.grantee = grantee }

    /// The sender hands on what other origins wrote, so it may bring everything.
    var isRelay: Bool { grantee.rights.isRelay }

    /// The sender may bring batches of this stream.
    mutating func allows(_ key: StreamKey) -> Bool {
        if isRelay || allowed == key { return true }
        guard let type = key.topic.type, grantee.rights.maySpeak(for: key.origin, of: type) else { return false }
        allowed = key
        return true
    }

    /// Takes note that the sender has spoken for an origin for which it may not.
    /// - Returns: whether the log is to be told.
    mutating func isNews(_ origin: String) -> Bool {
        told.count < SenderRights.toldCountMax && told.insert(origin).inserted
    }
}
