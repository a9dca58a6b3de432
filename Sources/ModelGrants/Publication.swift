/// The types that a key may write together with the origins as which it may: those of one line.
public struct Publication: Hashable, Sendable {
    /// The types.
    public var types: [NamePattern]
    /// The origins, each for every one of the types.
    public var origins: [NamePattern]
    /// The public signing keys, 40 characters of Z85 each, whose signatures prove what these origins write of these
    /// types: several while a key is replaced, none where nothing is signed. No key stands here twice.
    public var signingKeys: [String]

    /// The right to write these types as these origins.
    public init(types: [NamePattern], origins: [NamePattern], signingKeys: [String] = []) {
        (self.types, self.origins, self.signingKeys) = (types, origins, signingKeys)
    }

    /// The type is among these.
    public func has(type: String) -> Bool { types.contains { $0.matches(type) } }

    /// The origin is among these.
    public func has(origin: String) -> Bool { origins.contains { $0.matches(origin) } }
}
