import ModelCBOR
public import ModelRecord

extension EncodedFields {
    /// Encodes fields and checks them. Every receiver with the same limits accepts the result.
    /// - Throws: ``WireError``, whose reason names the field and the rule: a name of 0 or more than 128 bytes, too many
    ///   fields, a value too large or nested too deep, a tagged value whose content is not CBOR, or fields that do not
    ///   fit into one frame together.
    /// - Complexity: O(1) when no value is nested, as such fields are already encoded; otherwise O(*bytes*).
    public init(_ fields: borrowing Fields, limits: WireLimits = .default) throws(WireError) {
        // Asked for once: each time the compiler copies the fields.
        let sizes = fields.encodedSizes
        let mayExpire = fields.isEncoded && !sizes.mayExpire ? false : try fields.checkExpiry()
        if fields.isReady(limits, sizes), let encoded = fields.encoded {
            self = encoded
            return
        }
        guard fields.count <= limits.fieldCount else {
            throw WireError(.limit, "\(fields.count) fields; one update may have \(limits.fieldCount)")
        }
        let byteCountMax = limits.frameByteCount - BatchWriter.envelopeByteCountMax
        // Some value is nested, or something may be past a limit: the loop finds it and names it.
        var writer = CBORWriter(reserving: fields.count * 24)
        for pair in fields.pairs {
            do { try Names.check(field: pair.field) } catch { throw WireError(error) }
            writer.write(text: pair.field)
            try EncodedFields.write(pair, to: &writer, limits: limits)
        }
        guard writer.count <= byteCountMax else {
            throw WireError(.limit, "the fields take \(writer.count) bytes together; \(byteCountMax) fit into a frame")
        }
        self.init(bytes: writer.bytes, count: fields.count, mayExpire: mayExpire)
    }

    private static func write(
        _ pair: Fields.Pair, to writer: inout CBORWriter, limits: WireLimits
    ) throws(WireError) {
        let start = writer.count
        switch pair.value {
        case .array, .map, .uri, .uuid, .timestamp, .tagged:
            guard pair.value.isNested(atMost: limits.depth) else {
                throw WireError(
                    .limit, "field \"\(pair.field)\" is nested deeper than the \(limits.depth) levels that are allowed")
            }
            writer.write(pair.value)
            if pair.value.hasForeignTag { try check(pair.field, from: start, in: &writer, limits: limits) }
        default:
            writer.write(pair.value)
        }
        guard writer.count - start <= limits.valueByteCount else {
            throw WireError(
                .limit,
                "field \"\(pair.field)\" takes \(writer.count - start) bytes; \(limits.valueByteCount) are allowed")
        }
    }

    /// Checks and rewrites a value with a foreign tag, whose content comes from the caller: any bytes, in any encoding.
    private static func check(
        _ field: String, from start: Int, in writer: inout CBORWriter, limits: WireLimits
    ) throws(WireError) {
        var canonical = CBORWriter()
        do {
            let encoded = Array(writer.bytes[start...])
            var reader = CBORReader(encoded.span)
            try canonical.writeCanonical(&reader, maxDepth: limits.depth)
            try reader.expectEnd()
            var again = CBORReader(canonical.bytes.span)
            try again.skipValue(maxDepth: limits.depth)
        } catch {
            throw WireError(
                error.code == .tooDeep ? .limit : .value,
                "field \"\(field)\" holds a tagged item that cannot be sent: \(error.code)")
        }
        writer.bytes.removeSubrange(start...)
        writer.append(encoded: canonical.bytes.span)
    }
}

extension Fields {
    /// The value in words where it is none of those that `number` takes.
    private static func fault(of value: Value?, _ number: (Value) -> UInt64?) -> String? {
        guard let value, value != .null, value != .undefined, number(value) == nil else { return nil }
        // A large value is not written out to be cut then.
        return switch value {
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .text(let text): "\"\(text.shown(byteCountMax: 40))\""
        default: "a value of another kind"
        }
    }

    /// Refuses a time of the model's end in another form than whole milliseconds since 1970, and a lease in another
    /// form than whole milliseconds. Null and `undefined` take the end and the lease away.
    /// - Returns: whether the fields say when the model ends, that it does not, or whether it is leased.
    func checkExpiry() throws(WireError) -> Bool {
        let (expiry, lease) = (expiry, lease)
        if let text = Fields.fault(of: expiry, Expiration.milliseconds) {
            throw WireError(
                .value,
                "\(FieldName.expires) says when a model ends, in whole milliseconds since 1970, from "
                    + "\(Expiration.millisecondsMin) on: \(text) is none; seconds are to be multiplied by 1000")
        }
        if let text = Fields.fault(of: lease, Lease.milliseconds) {
            throw WireError(
                .value,
                "\(FieldName.lease) says for how long the publisher of a model may be silent, in whole milliseconds "
                    + "up to \(Lease.millisecondsMax): \(text) is none")
        }
        return expiry != nil || lease != nil
    }

    /// True when the fields are kept encoded and are within all limits, so that nothing is left to do.
    @inline(__always)
    func isReady(_ limits: WireLimits, _ sizes: FieldSizes) -> Bool {
        isEncoded && count <= limits.fieldCount && sizes.isWithin(limits)
            && encodedSpan.count <= limits.frameByteCount - BatchWriter.envelopeByteCountMax
    }
}

extension FieldSizes {
    /// True when no name and no value is past its limit.
    @inline(__always)
    func isWithin(_ limits: WireLimits) -> Bool {
        !hasEmptyName && nameByteCountMax <= 128 && valueByteCountMax <= limits.valueByteCount
    }
}

extension Value {
    /// True when arrays, maps and tags are nested at most `depth` levels deep. The search stops there, however deep the
    /// value is.
    func isNested(atMost depth: Int) -> Bool {
        switch self {
        case .null, .undefined, .bool, .int, .double, .text, .bytes: true
        case .uri, .uuid, .timestamp, .tagged: depth > 0
        case .array(let elements): depth > 0 && elements.allSatisfy { $0.isNested(atMost: depth - 1) }
        case .map(let map): depth > 0 && map.values.allSatisfy { $0.isNested(atMost: depth - 1) }
        }
    }

    var hasForeignTag: Bool {
        switch self {
        case .tagged: true
        case .array(let elements): elements.contains { $0.hasForeignTag }
        case .map(let map): map.values.contains { $0.hasForeignTag }
        default: false
        }
    }
}
