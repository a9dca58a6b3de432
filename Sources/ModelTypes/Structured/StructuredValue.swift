public import ModelRecord

/// A struct that is the value of one field: a map in what travels, an object in JSON.
///
/// ```swift
/// @FieldValue struct Label { var text: String; var weight: Int? }
/// @Model struct Note { @ID let id: UUID; var labels: [Label] = [] }
/// ```
/// The macro `@FieldValue` writes the conformance. By hand:
///
/// ```swift
/// struct Label: StructuredValue {
///     var text: String
///     var weight: Int?
///
///     init(reading source: inout some FieldSource) throws(FieldProblem) {
///         text = try source.read("text")
///         weight = try source.read("weight")
///     }
///
///     func write(into sink: inout some FieldSink) throws(FieldProblem) {
///         try sink.write("text", text)
///         try sink.write("weight", weight)
///     }
/// }
/// ```
/// - The value is written, merged and observed as a whole: of two publishers that each change another property of it,
///   the later one wins. A ``FieldGroup`` is merged property by property.
/// - It stands alone, in arrays, in dictionaries, and in values of its own type.
/// - A field takes 16 levels of maps and arrays at most, so a tree has about half as many.
/// - Keys that nobody asks for are passed over, and are gone when the value is written again.
/// - A `FieldGroup` within has the form that it has in JSON, in what travels, too.
/// - A fault names the way to the property as its ``FieldFault/part``: `0.text`. So do `DecodingError` and
///   `EncodingError`, by their paths.
///
/// A type with an `init(from:)` or `encode(to:)` of its own keeps them: they have a say in JSON only.
/// - Complexity: reading and writing take time in the size of the value, each time. A model that is kept was read once.
public protocol StructuredValue: FieldValue {
    /// Reads the properties from the keys of a map.
    /// - Throws: ``FieldProblem`` for the first property that is missing or faulty.
    init(reading source: inout some FieldSource) throws(FieldProblem)
    /// Writes all properties.
    /// - Throws: ``FieldProblem`` for one that cannot be published.
    func write(into sink: inout some FieldSink) throws(FieldProblem)
}

extension StructuredValue {
    public init(_ value: Value) throws(FieldFault) {
        guard case .map(let map) = value else { throw FieldFault(value, wanted: "a map") }
        var source = MapSource(map)
        do { try self.init(reading: &source) } catch { throw error.fault(within: "\(Self.self)") }
    }

    public func encoded() throws(FieldFault) -> Value {
        var sink = MapSink()
        do { try write(into: &sink) } catch { throw error.fault(within: "\(Self.self)") }
        return .map(sink.finish())
    }

    /// Reads an object.
    /// - Throws: `DecodingError` with the path of the first property that is missing or faulty; its cause is the
    ///   ``FieldProblem``.
    public init(from decoder: any Decoder) throws {
        var source = try FieldDecoder(decoder).whole
        do {
            try self.init(reading: &source)
        } catch {
            throw DecodingError(error, decoder.codingPath)
        }
    }

    /// Writes an object.
    /// - Throws: `EncodingError` with the path of a property that cannot be encoded; its cause is the ``FieldProblem``.
    public func encode(to encoder: any Encoder) throws {
        var sink = FieldEncoder(encoder.container(keyedBy: FieldCodingKey.self))
        do { try write(into: &sink) } catch { throw EncodingError(error, of: self, encoder.codingPath) }
    }
}
