import Modelcast

extension ControlClient {
    /// The digest of each type that the sender has, by name.
    ///
    /// One greeting tells those of thousands of types. Where it leaves any out, as that of a relay does while the copy
    /// is mended, each type is asked for. That takes a second for 64 types, after the first 256: a sender answers no
    /// more questions of one peer.
    /// - Throws: ``ModelcastError`` when the sender does not answer or refuses.
    func digestsByType() async throws -> [(type: String, digest: UInt64)] {
        let greeting = try await welcome()
        var told: [String: UInt64] = [:]
        for head in greeting.heads.flatMap(\.heads) {
            // The digest of a part of a type says nothing of the others.
            guard let type = head.topic.type, head.topic == .data(type: type) else { continue }
            told[type] = head.digest ?? told[type]
        }
        let types = greeting.types
        let known = types.compactMap { type in told[type].map { (type: type, digest: $0) } }
        guard known.count < types.count else { return known }
        return try await digests().map { (type: $0.type, digest: $0.digests.total) }
    }
}
