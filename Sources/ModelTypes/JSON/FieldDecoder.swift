public import ModelRecord

/// Reads the fields of a model from a `Decoder`: an object whose keys are the fields' names on the wire, and the id.
///
/// A missing key is an unknown field; null is a field that is known to be empty. A group of fields is an object within:
/// `address.city` is read from `{"address": {"city": "Ely"}}`. The name with its dots is a key as well, so that what
/// `modelcast` prints can be read; a field that is given in both ways is faulty. Keys that nobody asks for are passed
/// over.
public struct FieldDecoder: FieldSource {
    let container: KeyedDecodingContainer<FieldCodingKey>
    /// The key of the case of a sum type whose fields are read by names with dots: it is no object that has them.
    private var caseKey: String?
    public private(set) var isWhole: Bool
    /// The name of the model type, for the problem of an id; nil where this is no model.
    private var modelType: String?

    /// A source of the fields in `decoder`.
    /// - Throws: `DecodingError` when there is no object.
    public init(_ decoder: any Decoder) throws {
        self.init(try decoder.container(keyedBy: FieldCodingKey.self))
    }

    /// A source of the fields of a model. For generated code.
    /// - Throws: `DecodingError` when there is no object; its cause is the ``ModelProblem``.
    public init<P: PartialModel>(_ decoder: any Decoder, of partial: P.Type) throws {
        let modelType = P.Complete.modelType
        do {
            self.init(try decoder.container(keyedBy: FieldCodingKey.self))
        } catch {
            let raw = try? decoder.singleValueContainer().decode(Value.self)
            let fault = FieldFault(raw ?? .undefined, wanted: "an object")
            throw DecodingError(FieldProblem("", fault), of: modelType, decoder.codingPath)
        }
        self.modelType = modelType
    }

    init(_ container: KeyedDecodingContainer<FieldCodingKey>, isWhole: Bool = false) {
        (self.container, self.isWhole) = (container, isWhole)
    }

    /// The same object where it is written as a whole.
    var whole: FieldDecoder {
        var whole = self
        whole.isWhole = true
        return whole
    }

    /// The model's id.
    /// - Parameters:
    ///   - key: the id's name in JSON. One with dots stands in an object within, as a field does.
    ///   - type: the type of the id.
    /// - Throws: `DecodingError` when there is none; its cause is the ``ModelProblem``.
    public func id<ID: ModelID>(_ key: String = "id", as type: ID.Type = ID.self) throws -> ID {
        do {
            return try decodeID(key)
        } catch {
            guard let modelType else { throw error }
            let fault: FieldFault? =
                switch find(key) {
                case .nothing: nil
                case .place(let place): FieldFault(place.raw, wanted: "an id of type \(ID.self)")
                case .fault(let fault): fault
                }
            throw DecodingError(FieldProblem(key, fault), of: modelType, container.codingPath)
        }
    }

    private func decodeID<ID: ModelID>(_ name: String) throws -> ID {
        guard !container.contains(FieldCodingKey(name)), let dot = name.firstIndex(of: ".") else {
            return try container.decode(ID.self, forKey: FieldCodingKey(name))
        }
        let outer = try container.nestedContainer(
            keyedBy: FieldCodingKey.self, forKey: FieldCodingKey(String(name[..<dot])))
        return try FieldDecoder(outer).decodeID(String(name[name.index(after: dot)...]))
    }

    public func state<T: FieldValue>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        switch find(name.text) {
        case .nothing: .unknown
        case .place(let place): place.state(as: type)
        case .fault(let fault): .faulty(fault)
        }
    }

    public mutating func groupState<T: FieldGroup>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        switch find(name.text) {
        case .nothing: return stateOfParts(name, as: type)
        case .fault(let fault): return .faulty(fault)
        case .place(let place):
            guard hasParts(of: name.text) else { return place.groupState(as: type, named: name.text) }
            // The case of a sum type stands beside the fields of its payload where names have dots.
            // An empty object says that there is a group, in a record as well.
            if place.object?.container.allKeys.isEmpty ?? (place.isNull || T.isOneOf) {
                var parts = self
                parts.caseKey = name.text
                return parts.stateOfParts(name, as: type)
            }
            return .faulty(
                FieldFault(
                    .form, wanted: "\(name.text) in one way: as an object, or as keys that begin with \(name.text).",
                    value: place.raw))
        }
    }

    /// True when the object has keys that are names of fields of a group, with their dots.
    private func hasParts(of name: String) -> Bool {
        container.allKeys.contains { $0.stringValue.hasPrefix("\(name).") }
    }

    // MARK: Places

    /// The result of looking for a name.
    private enum Found {
        case nothing
        case place(JSONPlace)
        case fault(FieldFault)
    }

    /// The place of a key in this object.
    func place(_ key: FieldCodingKey) -> JSONPlace { JSONPlace(container, key, isWhole: isWhole) }

    /// Looks for a name as a key, and for a name with dots in the objects within, too.
    private func find(_ name: String) -> Found {
        let key = FieldCodingKey(name)
        let own: Found = container.contains(key) ? .place(place(key)) : .nothing
        guard name.utf8.contains(UInt8(ascii: ".")) else { return own }
        return findWithin(name, own)
    }

    /// Looks for a name with dots in the objects within.
    /// - Parameter own: what was found under the name as a whole.
    private func findWithin(_ name: String, _ own: Found) -> Found {
        var (found, instead) = (own, Found.nothing)
        for dot in name.indices where name[dot] == "." {
            let outer = place(FieldCodingKey(String(name[..<dot])))
            guard outer.exists, outer.key.stringValue != caseKey else { continue }
            guard let object = outer.object else {
                // Null stands for null in each part; it and other values count where the part is given nowhere else.
                instead = outer.isNull ? .place(outer) : .fault(FieldFault(outer.raw, wanted: "an object"))
                continue
            }
            let within = object.find(String(name[name.index(after: dot)...]))
            if case .nothing = within { continue }
            guard case .nothing = found else {
                let wanted = "\(name) once: it is given in an object, and by its whole name"
                return .fault(FieldFault(.form, wanted: wanted, value: outer.raw))
            }
            found = within
        }
        if case .nothing = found { return instead }
        return found
    }
}

/// A key of a JSON object, and what stands there.
struct JSONPlace {
    let container: KeyedDecodingContainer<FieldCodingKey>
    let key: FieldCodingKey
    /// True where this is written as a whole; see ``FieldSource/isWhole``.
    var isWhole: Bool

    fileprivate init(_ container: KeyedDecodingContainer<FieldCodingKey>, _ key: FieldCodingKey, isWhole: Bool) {
        (self.container, self.key, self.isWhole) = (container, key, isWhole)
    }

    /// The same place where what stands there is written as a whole.
    var whole: JSONPlace {
        var whole = self
        whole.isWhole = true
        return whole
    }

    var exists: Bool { container.contains(key) }
    var isNull: Bool { (try? container.decodeNil(forKey: key)) ?? false }
    /// The text, if it is one.
    var text: String? { try? container.decode(String.self, forKey: key) }
    /// The value that stands here, for messages.
    var raw: Value { (try? container.decode(Value.self, forKey: key)) ?? .null }
    /// The fields of the object, if it is one.
    var object: FieldDecoder? {
        guard let object = try? container.nestedContainer(keyedBy: FieldCodingKey.self, forKey: key) else { return nil }
        return FieldDecoder(object, isWhole: isWhole)
    }

    /// The state of a field with one value.
    func state<T: FieldValue>(as type: T.Type) -> FieldState<T> {
        do {
            if try container.decodeNil(forKey: key) { return .null }
            return .value(try container.decode(field: T.self, forKey: key))
        } catch {
            return .faulty(fault(error, as: type))
        }
    }

    /// The fault of a value that does not decode: in the words of the type, which names what is wanted, unless the type
    /// has another form in JSON than on the wire, as bytes have.
    private func fault<T: FieldValue>(_ error: any Error, as type: T.Type) -> FieldFault {
        let known = error as? DecodingError
        let path = (known?.path ?? []).dropFirst(container.codingPath.count + 1)
        // A struct within has said it already.
        if let problem = known?.context.underlyingError as? FieldProblem {
            let fault = problem.fault(within: "\(T.self)")
            return fault.within(path.text(endingIn: fault.part))
        }
        guard let raw = try? container.decode(Value.self, forKey: key) else {
            return FieldFault(beyond: known?.context.debugDescription ?? "\(error)", as: T.self).within(path.text)
        }
        var isOfOtherForm = false
        if case .dataCorrupted? = known { isOfOtherForm = true }
        do {
            _ = try T(raw)
        } catch {
            if !isOfOtherForm || error.code != .kind, path.isEmpty || error.part == path.text { return error }
        }
        let words = (isOfOtherForm || !path.isEmpty ? known?.context.debugDescription : nil) ?? ""
        let reason = words.isEmpty ? "\(error)" : words
        return FieldFault(.form, wanted: "what decodes as \(T.self): \(reason)", value: raw).within(path.text)
    }

    /// The state of a group of fields.
    func groupState<T: FieldGroup>(as type: T.Type, named name: String) -> FieldState<T> {
        if isNull { return .null }
        if T.isOneOf { return oneOfState(as: type, named: name) }
        guard let object else { return .faulty(FieldFault(raw, wanted: "an object")) }
        return object.group(as: type, named: name)
    }
}

extension FieldDecoder {
    /// The state of the group whose fields are those of this object.
    func group<T: FieldGroup>(as type: T.Type, named name: String) -> FieldState<T> {
        var source = self
        do {
            return .value(try T(reading: &source))
        } catch {
            // Null in all parts is how a record has no group, and how `modelcast` prints that.
            let states = T.fieldNames.map { state(FieldName($0), as: Value.self) }
            if states.contains(.null), states.allSatisfy({ $0 == .null || $0 == .unknown }) { return .null }
            return .faulty(error.fault(within: name))
        }
    }
}

extension FieldFault {
    /// The fault of JSON with a number that no type of Swift holds.
    /// - Parameter words: those of the decoder, which name the number.
    fileprivate init(beyond words: String, as type: Any.Type) {
        guard let number = words.firstMatch(of: /-?[0-9][0-9.]*(?:[eE][+\-]?[0-9]+)?/)?.0 else {
            self.init(.form, wanted: "what decodes as \(type): \(words)", value: .undefined)
            return
        }
        self.init(.range, wanted: "a number in the range of a type", value: .text(String(number)))
    }
}

extension FieldDecoder: ObjectSource {
    /// A name with dots may lead to an object, whose keys are found.
    var takesObjects: Bool { true }
}
