import ModelGrants
import ModelSync

/// Grants: each key may be what its process is.
extension Simulation {
    /// Holds a node to what the keys of its senders were granted.
    func grantSenders(_ node: SimulatedNode) {
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
        if node.kind == .relay {
            rights.isRelay = true
        } else {
            rights.publications = [Publication(types: [.all], origins: [NamePattern(node.name)].compactMap { $0 })]
        }
        return Grantee(name: node.name, rights: rights)
    }
}
