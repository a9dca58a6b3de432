import ModelGrants
import ModelSigning
import ModelSync

/// Grants: each key may be what its process is.
extension Simulation {
    /// Holds a node to what the keys of its senders were granted.
    func grantSenders(_ node: SimulatedNode) {
        requireSignatures(node)
        guard settings.hasGrants else { return }
        for index in node.listening {
            let grantee = grantee(nodes[links[index].server])
            node.relay?.grant(grantee, to: links[index].sender)
            node.subscriber?.grant(grantee, to: links[index].sender)
        }
    }

    /// A publisher may write every type as itself, and a relay may hand on what others wrote.
    private func grantee(_ node: SimulatedNode) -> Grantee {
        guard settings.sabotage != .grants else { return Grantee(name: node.name, rights: .all) }
        var rights = Rights()
        // A liar that is a relay is what signatures are for.
        if node.kind == .relay || (settings.hasSignatures && node.liar != nil) {
            rights.isRelay = true
        } else {
            rights.publications = [Publication(types: [.all], origins: [NamePattern(node.name)].compactMap { $0 })]
        }
        return Grantee(name: node.name, rights: rights)
    }

    /// Lets a node take only what is signed, where origins sign.
    func requireSignatures(_ node: SimulatedNode) {
        guard settings.hasSignatures, settings.sabotage != .signatures else { return }
        node.relay?.require(signatureRules)
        node.subscriber?.require(signatureRules)
    }

    /// The key with which a node signs; the same in all its lives.
    func signingKey(_ node: SimulatedNode) -> SigningKey {
        // The bytes are as many as a key has.
        SigningKey(seed: [UInt8](repeating: UInt8(truncatingIfNeeded: node.id.index), count: SigningKey.byteCount))
            ?? SigningKey()
    }

    /// All that origins write has to be signed by them. What a relay says under its own name is no batch.
    private var signatureRules: SignatureRules? {
        let signers = nodes.filter { $0.kind == .publisher || $0.kind == .job }.map { node in
            SignatureRules.Signer(
                Publication(types: [.all], origins: [NamePattern(node.name)].compactMap(\.self)),
                key: signingKey(node).publicKey)
        }
        return SignatureRules(signedTypes: [.all], signers: signers)
    }
}
