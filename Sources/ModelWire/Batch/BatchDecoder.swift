import ModelCBOR
public import ModelRecord

/// Reads batches in place: one pass checks everything and notes the place of each update; nothing is copied.
///
/// ```swift
/// try decoder.decode(frame)
/// cache.commit(decoder.batch(in: frame), type: "User")
/// ```
/// A frame that is not in deterministic encoding is transcoded once, because records hold deterministic bytes only; the
/// decoder owns the transcoded bytes. The decoder keeps the memory of its lists from frame to frame. Not safe to share:
/// one thread owns one decoder.
public struct BatchDecoder: ~Copyable {
    /// The limits of what is accepted.
    public let limits: WireLimits

    /// The name of the origin.
    public private(set) var origin = ""
    /// `Fingerprint.fnv(origin)`.
    public private(set) var originHash: UInt64 = Fingerprint.empty
    /// The start of the origin that the batch belongs to.
    public private(set) var incarnation: UInt64 = 0
    /// The number of the batch on its topic.
    public private(set) var sequence: UInt64 = 0
    /// The stamp of the batch, at most that of each of its updates.
    public private(set) var stamp: Stamp = 0
    /// The topics of the transaction that the batch belongs to; empty when it stands alone.
    public private(set) var group: [Topic] = []
    /// The updates that were left out, in order.
    public internal(set) var refused: [RefusedUpdate] = []
    /// How many updates had an operation that version 1 does not know; they are left out, too.
    public internal(set) var unknownOperations = 0

    /// The places of the accepted updates.
    var slices: [UpdateSlice] = []
    /// The updates that were refused while the frame was transcoded; a null stands in the place of each.
    var early: [RefusedUpdate] = []
    /// The transcoded frame, if the frame was not deterministic.
    private var transcoded: [UInt8] = []
    private var isTranscoded = false
    private var frameByteCount = 0
    private var originBytes: [UInt8] = []

    /// A decoder that accepts what is within `limits`.
    public init(limits: WireLimits = .default) { self.limits = limits }

    /// How many updates were accepted.
    public var updateCount: Int { slices.count }

    /// The stamp of the last accepted update, which is the greatest; the stamp of the batch if none was accepted.
    public var lastStamp: Stamp { slices.last?.stamp ?? stamp }

    /// The accepted updates of the frame that was decoded last.
    /// - Parameter frame: that same frame.
    @_lifetime(borrow self, copy frame)
    public borrowing func batch(in frame: Span<UInt8>) -> UpdateBatchView {
        precondition(frame.count == frameByteCount, "this is not the frame that was decoded last")
        // Both buffers live as long as the result: the decoder is borrowed, and the frame's lifetime is copied.
        let own = unsafe _overrideLifetime(transcoded.span, borrowing: self)
        return UpdateBatchView(
            bytes: isTranscoded ? own : frame, slices: slices.span, origin: originBytes.span, originHash: originHash)
    }

    /// The ids of the accepted updates of the frame that was decoded last.
    /// - Parameter frame: that same frame.
    public borrowing func ids(in frame: Span<UInt8>) -> [String] {
        let batch = batch(in: frame)
        var ids: [String] = []
        for index in 0..<batch.count {
            let id = batch.id(at: index)
            ids.append(CBORReader(id).string(0..<id.count))
        }
        return ids
    }

    /// Reads a frame.
    /// - Throws: ``WireError`` when the frame cannot be used: bytes that are not CBOR, another shape than a batch's,
    ///   more updates or bytes than the limits allow. The decoder holds no update then. A fault that concerns one
    ///   update alone is no error: the update is left out and noted in ``refused``.
    /// - Complexity: O(*bytes*); for a frame that is not deterministic O(*n* log *n*) in the fields of an update.
    public mutating func decode(_ frame: Span<UInt8>) throws(WireError) {
        forget()
        guard frame.count <= limits.frameByteCount else {
            throw WireError(
                .limit, "a frame of \(frame.count) bytes; at most \(limits.frameByteCount) are allowed", at: 0)
        }
        frameByteCount = frame.count
        do {
            if try readInPlace(frame) { return }
            forget()
            frameByteCount = frame.count
            try transcode(frame)
        } catch {
            forget()
            throw error
        }
    }

    /// Reads a deterministic frame in place.
    /// - Returns: false for a frame that is not deterministic.
    private mutating func readInPlace(_ frame: Span<UInt8>) throws(WireError) -> Bool {
        var reader = CBORReader(frame)
        do {
            try read(&reader)
        } catch {
            // A frame that is not deterministic is judged by its transcoded bytes, so this error does not count.
            if reader.isDeterministic { throw error }
        }
        return reader.isDeterministic
    }

    private mutating func transcode(_ frame: Span<UInt8>) throws(WireError) {
        var transcoder = BatchTranscoder(limits: limits)
        transcoded = try transcoder.transcode(frame)
        early = transcoder.refused
        isTranscoded = true
        let own = transcoded
        var reader = CBORReader(own.span)
        try read(&reader)
    }

    private mutating func forget() {
        slices.removeAll(keepingCapacity: true)
        // These lists are nearly always empty, and the check costs less than emptying them.
        if !refused.isEmpty { refused.removeAll(keepingCapacity: true) }
        if !early.isEmpty { early.removeAll(keepingCapacity: true) }
        if !group.isEmpty { group.removeAll() }
        if isTranscoded { transcoded.removeAll(keepingCapacity: true) }
        isTranscoded = false
        unknownOperations = 0
        frameByteCount = -1
    }

    /// Reads a frame of definite lengths.
    private mutating func read(_ reader: inout CBORReader) throws(WireError) {
        let header: BatchHeader
        do { header = try BatchHeader(reading: &reader) } catch { throw WireError(error) }
        try take(origin: reader.bytes.extracting(header.origin), at: header.origin.lowerBound)
        incarnation = header.incarnation
        sequence = header.sequence
        stamp = header.stamp
        guard sequence > 0 else { throw WireError(.malformed, "sequences begin with 1", at: header.origin.upperBound) }
        guard header.updateCount <= limits.updateCount else {
            throw WireError(
                .limit, "\(header.updateCount) updates; at most \(limits.updateCount) are allowed", at: reader.offset)
        }
        try readUpdates(header.updateCount, &reader)
        do { try readTail(header.elementCount - 6, &reader) } catch { throw WireError(error) }
    }

    private mutating func take(origin name: Span<UInt8>, at offset: Int) throws(WireError) {
        if name.count == originBytes.count {
            var index = 0
            while index < name.count, name[index] == originBytes[index] { index &+= 1 }
            if index == name.count, index > 0 { return }
        }
        guard Names.isOrigin(name) else { throw WireError(.name, "not the name of an origin", at: offset) }
        originBytes = unsafe name.withUnsafeBufferPointer { unsafe Array($0) }
        originHash = Fingerprint.fnv(name)
        origin = CBORReader(name).string(0..<name.count)
    }

    /// Reads what follows the updates: the group, unknown elements, the end.
    private mutating func readTail(_ count: Int, _ reader: inout CBORReader) throws(CBORError) {
        if count > 0, !reader.readNull() { try readGroup(&reader) }
        if count > 1 { for _ in 1..<count { try reader.skipWellFormed() } }
        try reader.expectEnd()
    }

    private mutating func readGroup(_ reader: inout CBORReader) throws(CBORError) {
        let start = reader.offset
        guard let count = try reader.readArrayHead(), count > 0 else { throw CBORError(.unexpectedType, at: start) }
        for _ in 0..<count {
            let range = try reader.readByteString()
            let topic = Topic(bytes: range.map { reader.bytes[$0] })
            guard topic.isValid else { throw CBORError(.limit, at: range.lowerBound) }
            group.append(topic)
        }
    }
}
