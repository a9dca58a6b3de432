import ModelRecord

extension FieldSource {
    /// The state of a group whose fields have the name of the group before a dot.
    /// - Parameter isPayload: the group is the payload of a case, which has a value also where all of its parts are
    ///   null.
    mutating func stateOfParts<T: FieldGroup>(
        _ name: FieldName, as type: T.Type, isPayload: Bool = false
    ) -> FieldState<T> {
        // The fields of other cases may hold old values, so the field that names the case is asked alone.
        let isOneOf = T.isOneOf
        var group = FieldGroupSource(base: self, prefix: name.text, isWhole: isWhole || isOneOf, isOneOf: isOneOf)
        defer { self = group.base }
        var (isKnown, hasValue) = (false, false)
        for member in isOneOf ? [""] : T.fieldNames where !hasValue {
            switch group.state(FieldName(member), as: Value.self) {
            case .unknown: break
            case .null: isKnown = true
            case .value, .faulty: hasValue = true
            }
        }
        if hasValue { return group.value(of: type) }
        // Rare from here on: the group has no value in any of its parts.
        if !isOneOf {
            switch group.findPlaces(of: T.fieldNames) {
            case .nothing: break
            case .null: isKnown = true
            case .object: hasValue = true
            case .fault(let fault): return .faulty(fault)
            }
        }
        guard isKnown || hasValue else { return .unknown }
        guard hasValue || isPayload else { return .null }
        let state = group.value(of: type)
        if case .value = state { return state }
        // An object of JSON with null in its parts is none where it does not make one.
        return hasValue && !(isKnown && group.takesObjects) ? state : .null
    }
}

/// A source in which an object may stand in the place of a group and has its parts.
protocol ObjectSource {
    var takesObjects: Bool { get }
}

/// What was found in the places of a group and of the structs within it.
private enum FoundPlaces {
    case nothing
    case null
    /// An object that has no values.
    case object
    /// A value that takes the place of parts.
    case fault(FieldFault)
}

/// Reads the fields of a group from those of a model.
private struct FieldGroupSource<Base: FieldSource>: FieldSource, ObjectSource {
    var base: Base
    let prefix: String
    let isWhole: Bool
    let isOneOf: Bool

    mutating func state<T: FieldValue>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        base.state(FieldName(FieldName.path(prefix, name.text)), as: type)
    }

    mutating func groupState<T: FieldGroup>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        stateOfParts(name, as: type, isPayload: isOneOf)
    }

    /// The value that the fields make, or what is in its way.
    mutating func value<T: FieldGroup>(of type: T.Type) -> FieldState<T> {
        do { return .value(try T(reading: &self)) } catch { return .faulty(error.fault(within: prefix)) }
    }

    var takesObjects: Bool { (base as? any ObjectSource)?.takesObjects ?? false }

    /// Looks at the fields that have the names of the group and of the structs within it, where no part has a value.
    /// - Parameter names: the names of all parts.
    mutating func findPlaces(of names: [String]) -> FoundPlaces {
        var found = FoundPlaces.nothing
        for place in [""] + names.structs {
            switch state(FieldName(place), as: Value.self) {
            case .unknown: break
            case .null: if case .nothing = found { found = .null }
            case .value(.map(let map)) where map.isEmpty || takesObjects:
                // An object that says nothing of its parts is there. Null in all of them, which may have been written
                // later, is how there is none.
                let isOpen = names.within(place).contains { name in
                    state(FieldName(FieldName.path(place, name)), as: Value.self) == .unknown
                }
                if isOpen || !map.isEmpty { found = .object }
            case .value(let value):
                let fault = FieldFault(asOne: value, partsOf: FieldName.path(prefix, place), names.within(place))
                return .fault(fault.within(place))
            case .faulty(let fault): return .fault(fault.within(place))
            }
        }
        return found
    }
}

extension [String] {
    /// The names of the structs within a group with parts of these names: what stands before a dot. Behind the field
    /// that names the case of a sum type stand its payloads, which count by that field only.
    var structs: [String] {
        var structs: [String] = []
        for name in self {
            for dot in name.indices where name[dot] == "." {
                let place = String(name[..<dot])
                if structs.contains(place) { continue }
                if contains(place) { break }
                structs.append(place)
            }
        }
        return structs
    }

    /// The names of the parts of a struct, within it; all of them for the empty name.
    func within(_ place: String) -> [String] {
        place.isEmpty ? self : compactMap { $0.label(behind: place) }
    }
}

extension FieldFault {
    /// The fault of a value, such as a map, in the place of a group, whose parts are fields.
    fileprivate init(asOne value: Value, partsOf group: String, _ names: [String]) {
        let fields = names.prefix(2).map { FieldName.path(group, $0) }.joined(separator: ", ")
        let more = names.count > 2 ? " and so on" : ""
        self.init(.kind, wanted: "\(group) in parts, each a field of its own: \(fields)\(more)", value: value)
    }
}
