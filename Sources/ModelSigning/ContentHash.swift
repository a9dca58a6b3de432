/// A hash of what models hold: SHA-256. Unlike digests it counts values, and nobody can make two contents of one hash.
public struct ContentHash: Hashable, Sendable {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// The hash of one model.
    /// - Parameter content: its id and its fields, in one form everywhere.
    public init(ofModel content: Span<UInt8>) {
        bytes = SHA256.hash(ContentHash.modelDomain.span, content)
    }

    /// The hash of a set of models, in whatever order they come.
    public init(ofModels hashes: [ContentHash]) {
        guard !hashes.isEmpty else {
            self = ContentHash.ofNothing
            return
        }
        self.init(ofAll: hashes)
    }

    /// Most parts of a small type are empty.
    private static let ofNothing = ContentHash(ofAll: [])

    private init(ofAll hashes: [ContentHash]) {
        let sorted = hashes.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        let all = sorted.flatMap(\.bytes)
        bytes = SHA256.hash(ContentHash.setDomain.span, all.span)
    }

    private static let modelDomain = Array("modelcast model 1".utf8)
    private static let setDomain = Array("modelcast models 1".utf8)
}
