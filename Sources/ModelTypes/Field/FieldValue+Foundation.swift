public import ModelRecord

#if canImport(FoundationEssentials)
    public import struct FoundationEssentials.Data
    public import struct FoundationEssentials.Date
    public import struct FoundationEssentials.URL
    public import struct FoundationEssentials.UUID
#else
    public import struct Foundation.Data
    public import struct Foundation.Date
    public import struct Foundation.URL
    public import struct Foundation.UUID
#endif

extension Data: FieldValue {
    public init(_ value: Value) throws(FieldFault) {
        guard case .bytes(let bytes) = value else { throw FieldFault(value, wanted: "bytes") }
        self.init(bytes)
    }

    public func encoded() throws(FieldFault) -> Value { .bytes(Array(self)) }
}

extension URL: FieldValue {
    public init(_ value: Value) throws(FieldFault) {
        switch value {
        case .uri(let text), .text(let text):
            guard let url = URL(string: text) else { throw FieldFault(.form, wanted: "a URL", value: value) }
            self = url
        default: throw FieldFault(value, wanted: "a URL")
        }
    }

    public func encoded() throws(FieldFault) -> Value { .uri(absoluteString) }
}

extension UUID: FieldValue {
    public init(_ value: Value) throws(FieldFault) {
        switch value {
        case .uuid(let uuid): self = uuid
        case .text(let text):
            guard let uuid = UUID(uuidString: text) else { throw FieldFault(.form, wanted: "a UUID", value: value) }
            self = uuid
        default: throw FieldFault(value, wanted: "a UUID")
        }
    }

    public func encoded() throws(FieldFault) -> Value { .uuid(self) }
}

/// A timestamp, in seconds since 1970 as a double: exact to less than a microsecond for some centuries.
extension Date: FieldValue {
    public init(_ value: Value) throws(FieldFault) {
        guard case .timestamp(let seconds) = value else { throw FieldFault(value, wanted: "a timestamp") }
        self.init(timeIntervalSince1970: seconds)
    }

    public func encoded() throws(FieldFault) -> Value { .timestamp(timeIntervalSince1970) }
}
