import ModelRecord

extension JSONPlace {
    /// The state of a sum type.
    func oneOfState<T: FieldGroup>(as type: T.Type, named name: String) -> FieldState<T> {
        switch T.jsonForm.kind {
        case .keyed: return keyed(as: type, named: name)
        case .tagged(let tag, let texts):
            if let text, texts.contains(text) { return OneOfDecoder(of: text).state(as: type, named: name) }
            guard let object, case let place = object.place(FieldCodingKey(tag)), place.exists else {
                return firstFit(as: type, named: name, isTagged: true)
            }
            guard let found = place.text else {
                let fault = FieldFault(place.raw, wanted: "\(tag): the name of a case, \(T.caseList)")
                return .faulty(fault)
            }
            return OneOfDecoder(of: found, object: object, isShared: true).state(as: type, named: name)
        case .bare:
            if let text, T.caseNames.contains(text), !T.hasPayload(text) {
                return OneOfDecoder(of: text).state(as: type, named: name)
            }
            return firstFit(as: type, named: name, isTagged: false)
        }
    }

    private func keyed<T: FieldGroup>(as type: T.Type, named name: String) -> FieldState<T> {
        if let text { return OneOfDecoder(of: text).state(as: type, named: name) }
        // Some programs write null for each case that it is not.
        let keys = object.map { object in
            object.container.allKeys.filter { !object.place($0).isNull }
        }
        guard let object, let key = keys?.first, keys?.count == 1 else {
            let wanted = "an object with one key, the case: \(T.caseList)"
            return .faulty(FieldFault(object == nil ? .kind : .form, wanted: wanted, value: raw))
        }
        let place = object.place(key)
        return OneOfDecoder(of: key.stringValue, place, object: place.object).state(as: type, named: name)
    }

    /// The first case whose payload fits what stands here.
    /// - Parameter isTagged: structs have a tag, so that what has none is none of them.
    private func firstFit<T: FieldGroup>(as type: T.Type, named name: String, isTagged: Bool) -> FieldState<T> {
        var reasons: [String] = []
        for candidate in T.caseNames where T.hasPayload(candidate) {
            let source = OneOfDecoder(of: candidate, self, object: isTagged ? nil : object, refusesStructs: isTagged)
            switch source.state(as: type, named: name) {
            case .value(let value): return .value(value)
            case .faulty(let fault): reasons.append(fault.wanted)
            case .unknown, .null: break
            }
        }
        let wanted = "any of \(T.caseList): it fits none, \(reasons.joined(separator: "; "))"
        return .faulty(FieldFault(.form, wanted: wanted, value: raw))
    }
}

/// Reads a sum type from JSON whose case is known.
private struct OneOfDecoder: FieldSource {
    private let caseName: String
    /// The payload without a label, if it stands alone.
    private let place: JSONPlace?
    /// The object with the payloads that have labels.
    private let object: FieldDecoder?
    /// A struct without a label has its fields in ``object``.
    private let isShared: Bool
    private let refusesStructs: Bool
    var isWhole: Bool { true }

    init(
        of caseName: String, _ place: JSONPlace? = nil, object: FieldDecoder? = nil, isShared: Bool = false,
        refusesStructs: Bool = false
    ) {
        (self.caseName, self.place, self.object) = (caseName, place?.whole, object?.whole)
        (self.isShared, self.refusesStructs) = (isShared, refusesStructs)
    }

    func state<T: FieldGroup>(as type: T.Type, named name: String) -> FieldState<T> {
        var source = self
        do { return .value(try T(reading: &source)) } catch { return .faulty(error.fault(within: name)) }
    }

    mutating func state<T: FieldValue>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        guard !name.text.isEmpty else {
            do { return .value(try T(.text(caseName))) } catch { return .faulty(error) }
        }
        guard let label = name.text.label(behind: caseName) else { return .unknown }
        if label.isEmpty, isShared || refusesStructs, let structure = T.self as? any StructuredValue.Type {
            return structured(structure, as: type)
        }
        return (label.isEmpty ? place?.state(as: type) : object?.state(FieldName(label), as: type)) ?? .unknown
    }

    mutating func groupState<T: FieldGroup>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        guard let label = name.text.label(behind: caseName) else { return .unknown }
        if !label.isEmpty {
            guard var object else { return .unknown }
            return object.groupState(FieldName(label), as: type)
        }
        if T.isOneOf { return place?.groupState(as: type, named: caseName) ?? .unknown }
        if isShared { return object?.group(as: type, named: caseName) ?? .unknown }
        if refusesStructs { return .faulty(FieldFault(.form, wanted: "an object that names its case", value: .null)) }
        return place?.groupState(as: type, named: caseName) ?? .unknown
    }

    /// The state of a struct that is one value and stands in the object that names the case.
    private func structured<S: StructuredValue, T: FieldValue>(_ structure: S.Type, as type: T.Type) -> FieldState<T> {
        guard var source = object, !refusesStructs else {
            return .faulty(FieldFault(.form, wanted: "an object that names its case", value: .null))
        }
        do {
            return (try S(reading: &source) as? T).map { .value($0) } ?? .unknown
        } catch {
            return .faulty(error.fault(within: caseName))
        }
    }
}

extension String {
    /// The label in the name of a field of a sum type, which is behind the name of the case and a dot: empty for a
    /// payload without a label, nil for a field of another case.
    func label(behind caseName: String) -> String? {
        if self == caseName { return "" }
        let prefix = "\(caseName)."
        return hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}

extension FieldGroup {
    /// True for a sum type: a field with the name of the group says which case it is.
    static var isOneOf: Bool { fieldNames.first == "" || fieldNames.contains("") }

    /// True for the name of a case with a payload.
    static func hasPayload(_ name: String) -> Bool { fieldNames.contains { $0.label(behind: name) != nil } }

    /// The names of all cases, for messages.
    static var caseList: String {
        guard let last = caseNames.last else { return "a case" }
        let others = caseNames.dropLast().joined(separator: ", ")
        return others.isEmpty ? last : "\(others) or \(last)"
    }
}

extension FieldProblem {
    /// The problem of a sum type whose case this program does not know. For generated code.
    public static func unknownCase<T: FieldGroup>(_ name: String, of type: T.Type) -> FieldProblem {
        FieldProblem("", FieldFault(.form, wanted: T.caseList, value: .text(name)))
    }
}
