@_exported public import ModelTypes

/// Makes a struct a ``Model``: a view of the models of one type, with a property for each field that it needs.
///
/// ```swift
/// @Model
/// struct User {
///     @ID let id: UUID
///     /// As friends call them.
///     @Field("nick_name") var nickName: String
///     var age: Int?
///     @Constant @Field(convert: .iso8601) let createdAt: Date
///     var colour: Colour = .red
///     @Field(validate: .length(1...80)) var title: String?
///     @Local var isSelected: Bool = false
/// }
/// ```
/// - A stored property is a field of the same name, unless ``Field(_:default:convert:validate:)`` or ``Local()`` says
///   otherwise. The macro leaves computed, static and lazy properties alone.
/// - The declaration of a property names its type, which is a ``FieldValue``, a ``FieldGroup`` or has a conversion.
/// - An optional property is nil where its field is unknown or null: ``Model/knows(_:)`` tells the two apart.
/// - The initial value of a `var` stands for a field that is unknown or null, and is the default of the memberwise
///   initialiser. Of an optional property it stands for an unknown one alone: its nil is null, and is published as
///   null.
/// - Two models are equal when their ids and fields are equal, and the same fields are known.
///
/// The struct gets a memberwise initialiser, if it has none with the same labels, and all that ``Model``, `Codable` and
/// `CustomStringConvertible` ask for. A property that is seen less far than the struct, and whose type may be, too, is
/// in an initialiser that is seen as far as the property; the other one leaves it out, if it has a default.
/// `User.Partial` holds the known fields of a user that may be incomplete.
/// `User.Constants` holds the fields that never change, if a property is marked ``Constant()``. `User.FieldNames` has a
/// name for each field: key paths such as `\.nickName` lead there where a field is wanted. A `description`, `==`,
/// `hash(into:)`, `init(from:)`, `encode(to:)` and `static let modelType` in the struct take the place of those which
/// the macro would write; so does a `description` in an extension that says `CustomStringConvertible`. JSON has the
/// names of the fields: `CodingKeys` of your own are refused.
///
/// The macro takes no generic structs, and no properties within `#if`. The names `model`, `problems`, `constants`,
/// `unknownFields`, `Partial`, `Constants`, `FieldNames` and `FieldTypes` are reserved: a field of such a name needs a
/// property of another name.
/// - Parameter type: the name of the type on the wire; the struct's, if nil. Several structs may view one type.
@attached(
    member, conformances: CustomStringConvertible,
    names: named(init), named(unread), named(unreadFields), named(modelType), named(id), named(FieldTypes),
    named(FieldConversions), named(FieldChecks), named(FieldNames), named(properties), named(encode),
    named(write), named(diff), named(unknownFields), named(==), named(isEqualByOwn), named(hash), named(description),
    named(Partial),
    named(Constants), named(constants))
@attached(
    extension,
    conformances: Model, Identifiable, Hashable, Equatable, Sendable, Codable, CustomStringConvertible,
    names: named(init), named(modelType), named(id), named(FieldTypes), named(FieldConversions),
    named(FieldChecks), named(FieldNames), named(properties), named(encode), named(write), named(diff),
    named(unknownFields), named(==), named(isEqualByOwn), named(hash), named(description), named(Partial),
    named(Constants),
    named(constants))
public macro Model(_ type: String? = nil) = #externalMacro(module: "ModelcastMacrosPlugin", type: "ModelMacro")

/// Marks the `let` that identifies a model: one in each struct with ``Model(_:)``.
///
/// A property of another name can be read as `id`, too. Its type is text, an integer, `UUID`, or a type of your own
/// that conforms to ``ModelID``.
/// - Parameter name: the id's name in JSON, as plain text; `id`, if nil. On the wire an id has no name.
@attached(peer, names: named(_checkID))
public macro ID(_ name: String? = nil) = #externalMacro(module: "ModelcastMacrosPlugin", type: "IDMacro")

/// Says how a property of a struct with ``Model(_:)``, ``Nested()`` or ``FieldValue()`` becomes a field, or a key. All
/// arguments may be left out. A case of an enum with ``OneOf()`` takes a name only.
///
/// The compiler looks at the arguments without the property, so it cannot tell the type of `default: .red`. Write
/// `default: Colour.red`, or `var colour: Colour = .red`. The function of a check names its type and `@Sendable`:
///
/// ```swift
/// @Field(validate: .check("even") { @Sendable (number: Int) in number % 2 == 0 }) var number: Int
/// ```
/// - Parameters:
///   - name: the name on the wire, as plain text: 1 to 128 bytes of UTF-8; not `id` for a model's field.
///   - value: the value for a field that is unknown or null, of an optional property for an unknown one alone; the
///     initial value of a `var` does the same.
///   - conversion: makes the property's value from the field's value, and back; for an optional property, the wrapped
///     value.
///   - validation: the condition that the property must meet when it is read and when it is published. Nil passes.
@attached(peer)
public macro Field<Default, Conversion: FieldConversion, Validation: FieldValidation>(
    _ name: String? = nil, default value: Default = Unspecified(), convert conversion: Conversion = Unspecified(),
    validate validation: Validation = Unspecified()
) = #externalMacro(module: "ModelcastMacrosPlugin", type: "MarkerMacro")

/// Marks a `let` whose field never changes once it has a value: it is in `Constants`, too.
@attached(peer)
public macro Constant() = #externalMacro(module: "ModelcastMacrosPlugin", type: "MarkerMacro")

/// Marks a property that is never published or read from a record, such as a selection. It needs an initial value or an
/// optional type, and does not count for equality.
@attached(peer)
public macro Local() = #externalMacro(module: "ModelcastMacrosPlugin", type: "MarkerMacro")
