public import ModelGrants
public import ModelSigning

/// The types that have to be signed, and by whom: what the grants say of signatures.
public struct SignatureRules: Hashable, Sendable {
    /// The key of whoever writes some types as some origins.
    public struct Signer: Hashable, Sendable {
        /// The types and origins.
        public let publication: Publication
        /// The key that signs them.
        public let key: VerifyingKey

        /// A signer.
        public init(_ publication: Publication, key: VerifyingKey) {
            (self.publication, self.key) = (publication, key)
        }
    }

    /// The types that have to be signed.
    public let signedTypes: [NamePattern]
    /// The keys that sign.
    public let signers: [Signer]

    /// The rules; nil where no type has to be signed, so that nothing is looked at.
    public init?(signedTypes: [NamePattern], signers: [Signer]) {
        guard !signedTypes.isEmpty else { return nil }
        (self.signedTypes, self.signers) = (signedTypes, signers)
    }

    /// Batches of this type count only with the signature of their origin.
    public func requiresSignature(of type: String) -> Bool { signedTypes.contains { $0.matches(type) } }

    /// The keys that sign this type as this origin.
    public func keys(of type: String, as origin: String) -> [VerifyingKey] {
        signers.filter { $0.publication.has(type: type) && $0.publication.has(origin: origin) }.map(\.key)
    }

    /// The keys that sign anything as this origin that has to be signed: those that may prove its starts.
    public func keys(ofStartsOf origin: String) -> [VerifyingKey] {
        signers.filter { signer in
            signer.publication.has(origin: origin)
                && signer.publication.types.contains { type in signedTypes.contains { type.overlaps($0) } }
        }
        .map(\.key)
    }
}
