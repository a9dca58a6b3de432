@_spi(CacheWriting) public import ModelCache
public import ModelWire

extension ModelCache {
    /// Commits the batch of a writer, as if it had come from a publisher.
    public func commit(_ writer: consuming BatchWriter, type: String, origin: String = "origin") throws {
        let frame = writer.finish(origin: origin, incarnation: 1, sequence: 1)
        var decoder = BatchDecoder()
        try decoder.decode(frame.span)
        commit(decoder.batch(in: frame.span), type: type)
    }
}
