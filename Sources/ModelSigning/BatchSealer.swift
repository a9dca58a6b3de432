/// Seals batches, several with one signature.
public struct BatchSealer: Sendable {
    private let key: SigningKey

    /// A sealer with the key of its process.
    public init(key: SigningKey) { self.key = key }

    /// Puts its seal behind each frame. The arrays of the frames count the seal already.
    /// - Parameter batches: 1 to ``BatchSeal/batchCountMax`` topics and frames.
    /// - Complexity: about 20 µs, and a hash of all bytes.
    public func seal(_ batches: inout [(topic: [UInt8], frame: [UInt8])]) {
        precondition((1...BatchSeal.batchCountMax).contains(batches.count), "a signature seals 1 to 32 batches")
        let tree = SealTree(batches.map { SealHash.leaf(topic: $0.topic.span, frame: $0.frame.span) })
        let signature = KeySignature(of: BatchSeal.message(of: tree.root, count: batches.count), by: key)
        for index in batches.indices {
            guard let position = SealTree.Position(index: index, count: batches.count) else { continue }
            BatchSeal(signature, position, path: tree.path(of: position)).append(to: &batches[index].frame)
        }
    }

    /// One frame with its seal.
    public func sealed(_ frame: [UInt8], on topic: [UInt8]) -> [UInt8] {
        var batches = [(topic: topic, frame: frame)]
        seal(&batches)
        return batches[0].frame
    }
}
