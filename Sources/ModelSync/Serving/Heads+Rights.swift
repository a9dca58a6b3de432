package import ModelGrants
package import ModelWire

extension Heads {
    /// Takes the topics out that may not be read.
    package mutating func narrow(to rights: Rights) {
        heads.removeAll { head in !(head.topic.type.map(rights.mayRead) ?? false) }
    }
}

extension [Heads] {
    /// The heads without the topics that may not be read, and without the origins that have no others: one that has
    /// only such topics looks like one that has none.
    /// - Parameter own: the name of the sender, which is always told.
    func readable(by rights: Rights, of own: String) -> [Heads] {
        guard !rights.readsAll else { return self }
        return compactMap { all in
            var heads = all
            heads.narrow(to: rights)
            return heads.heads.isEmpty && all.origin != own ? nil : heads
        }
    }
}

extension Rights {
    /// The owner of these rights may ask for batches of the topic. One of no type is for those who may read everything.
    func mayRead(_ topic: Topic) -> Bool { topic.type.map { mayRead($0) } ?? readsAll }
}
