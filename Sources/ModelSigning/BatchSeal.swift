/// The seal of a batch: the last element of its frame, which says that an owner of a signing key made all before it, on
/// this topic.
///
/// One signature seals up to ``batchCountMax`` batches: it is that of the root of a tree whose leaves are their hashes,
/// and each seal has the hashes beside its way to the root. So each batch proves itself alone, in whatever order it
/// comes, from whoever. On the wire it is one byte string, and its last two bytes tell its size:
///
/// ```text
/// seal = key id (8 bytes)  signature (64)  hashes beside the way up (32 each)  index (1)  number of batches (1)
/// ```
public struct BatchSeal: Hashable, Sendable {
    /// How many batches one signature seals at most.
    public static let batchCountMax = 32
    /// The most that a seal adds to a frame.
    public static let byteCountMax = 2 + KeySignature.byteCount + 5 * SealHash.byteCount + 2

    let signature: KeySignature
    let position: SealTree.Position
    /// The hashes beside the way up.
    let path: [SealHash]

    /// The id of the key that is said to have made it; see ``VerifyingKey/id``.
    public var keyID: [UInt8] { signature.keyID }

    init(_ signature: KeySignature, _ position: SealTree.Position, path: [SealHash]) {
        (self.signature, self.position, self.path) = (signature, position, path)
    }

    /// The seal at the end of a frame; nil where there is none.
    /// - Parameter content: becomes the number of bytes before it, which are what it seals.
    init?(endOf frame: Span<UInt8>, content: inout Int) {
        guard frame.count > 2,
            let position = SealTree.Position(index: Int(frame[frame.count - 2]), count: Int(frame[frame.count - 1]))
        else { return nil }
        let byteCount = BatchSeal.byteCount(pathCount: position.pathCount)
        let start = frame.count - byteCount - 2
        guard start > 0, frame[start] == BatchSeal.byteStringHead, Int(frame[start + 1]) == byteCount else {
            return nil
        }
        let body = frame.extracting((start + 2)...)
        guard let signature = KeySignature(prefixOf: body) else { return nil }
        var path: [SealHash] = []
        for number in 0..<position.pathCount {
            let start = KeySignature.byteCount + number * SealHash.byteCount
            guard let hash = SealHash(encoded: body.extracting(start..<start + SealHash.byteCount)) else { return nil }
            path.append(hash)
        }
        content = start
        self.init(signature, position, path: path)
    }

    /// Puts the seal behind a frame whose array counts it already.
    func append(to frame: inout [UInt8]) {
        let byteCount = BatchSeal.byteCount(pathCount: path.count)
        frame.reserveCapacity(frame.count + 2 + byteCount)
        frame.append(BatchSeal.byteStringHead)
        frame.append(UInt8(byteCount))
        frame.append(contentsOf: signature.encoded)
        for hash in path { frame.append(contentsOf: hash.bytes) }
        frame.append(UInt8(position.index))
        frame.append(UInt8(position.count))
    }

    /// The root to which the seal leads from a batch.
    func root(topic: Span<UInt8>, content: Span<UInt8>) -> SealHash {
        position.root(of: .leaf(topic: topic, frame: content), path: path)
    }

    /// The message that is signed for a root of so many batches.
    static func message(of root: SealHash, count: Int) -> [UInt8] {
        Array("modelcast seal 1".utf8) + [UInt8(count)] + root.bytes
    }

    private static func byteCount(pathCount: Int) -> Int {
        KeySignature.byteCount + pathCount * SealHash.byteCount + 2
    }

    /// The head of a CBOR byte string of 24 to 255 bytes, behind which its size stands.
    private static let byteStringHead: UInt8 = 0x58
}
