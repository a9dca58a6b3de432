/// Makes a struct a ``FieldGroup``: each of its properties is a field of the model that has it.
///
/// ```swift
/// @Nested
/// struct Address {
///     var street: String
///     @Field("town", validate: .length(1...80)) var city: String
///     var country: String = "GB"
///     var note: String?
/// }
///
/// @Model
/// struct User {
///     @ID let id: UUID
///     var address: Address?
/// }
/// ```
/// The fields are `address.street`, `address.town` and so on, each merged for itself. In the model's JSON the group is
/// an object: `{"id": …, "address": {"street": "Main Street", "town": "Ely", "country": "GB", "note": null}}`.
/// - ``Field(_:default:convert:validate:)`` means the same for a property of a group as for one of a model.
/// - A property may be a group itself, with longer names: `address.place.latitude`.
/// - An optional property is nil, and one with a default has that, where its field is unknown or null; one with both
///   has its default where its field is unknown alone. The group keeps account of which was unknown when it was read:
///   what was never read is not written. As the payload of a ``OneOf(_:)`` or within a ``FieldValue()`` a group is
///   written whole.
/// - An optional group is nil where all of its fields are null or unknown. A group with only optional properties is
///   therefore nil when all of them are. Where such a group is not optional it needs a default,
///   `var links: Links = Links()`.
/// - A group some of whose fields are missing is a problem of the model, not nil.
///
/// The struct gets a memberwise initialiser, if it has none with the same labels. The macro takes no generic structs,
/// and no properties within `#if`. The names `unknownFields`, `FieldNames` and `FieldTypes` are reserved. Where
/// the struct is `Codable` as well, it has the names of the fields as keys.
@attached(
    member, names: named(init), named(unread), named(unreadFields), named(FieldTypes), named(FieldConversions),
    named(FieldChecks), named(FieldNames), named(CodingKeys), named(unknownFields), named(fieldNames), named(write))
@attached(
    extension,
    conformances: FieldGroup, ModelFieldType, Hashable, Equatable, Sendable, CustomStringConvertible,
    names: named(==), named(isEqualByOwn), named(hash), named(description))
public macro Nested() = #externalMacro(module: "ModelcastMacrosPlugin", type: "NestedMacro")

/// Makes a struct a ``StructuredValue``, which is the value of one field: a map in what travels, an object in JSON.
///
/// ```swift
/// @FieldValue
/// struct Label {
///     var text: String
///     @Field("w", validate: .range(0...9)) var weight: Int?
///     var children: [Label] = []
/// }
///
/// @Model
/// struct Note {
///     @ID let id: UUID
///     var labels: [Label] = []
///     var byLanguage: [String: Label]?
/// }
/// ```
/// The field `labels` holds an array of maps, which is written, merged and observed as a whole: the last writer wins.
/// For a struct whose properties are merged one by one see ``Nested()``; for a list that is merged element by element,
/// make the elements models.
/// - ``Field(_:default:convert:validate:)`` means the same for a property here as for one of a model. Its name is a key
///   of the map.
/// - A property may be a struct with `@FieldValue` itself, also this one within an array or a dictionary, or a
///   ``FieldGroup``, which is a map or an object within.
/// - An optional property is nil where its key is missing or null. Its nil is written as null.
/// - A `.check` of a property whose type holds this struct does not compile: the compiler has a circular reference.
///   Elements are counted by `.count(0...9)`.
/// - A value without a key that has to be there, or with a faulty one, is a fault of the field; the fault names the way
///   to it, such as `labels.0.text`. So does the path of `DecodingError`.
/// - Keys without a property are passed over, and are gone when the value is written again.
///
/// The struct gets a memberwise initialiser, if it has none with the same labels, `Hashable`, `Sendable` and `Codable`.
/// It keeps an `==` of its own where it says `Hashable` itself, and an `init(from:)` or `encode(to:)`, which have a say
/// in JSON only.
/// The macro takes no generic structs, and no properties within `#if`. An enum with raw values needs no macro:
/// `enum Colour: String, FieldValue`.
@attached(
    member, names: named(init), named(FieldTypes), named(FieldConversions), named(FieldChecks), named(FieldNames),
    named(write))
@attached(
    extension,
    conformances: StructuredValue, FieldValue, ModelFieldType, Hashable, Equatable, Sendable, Codable,
    names: named(==), named(isEqualByOwn), named(hash))
public macro FieldValue() = #externalMacro(module: "ModelcastMacrosPlugin", type: "FieldValueMacro")

/// Makes an enum a ``FieldGroup``: one field says which case it is, others hold the payloads.
///
/// ```swift
/// @OneOf
/// enum Contact {
///     case phone(String)
///     @Field("mail") case post(Address)
///     case card(number: String, month: Int = 1)
///     case nobody
/// }
/// ```
/// As the property `contact` of a model this is:
///
/// | field | holds |
/// |---|---|
/// | `contact` | `phone`, `mail`, `card` or `nobody` |
/// | `contact.phone` | the text |
/// | `contact.mail.street` and so on | the parts of the address |
/// | `contact.card.number`, `contact.card.month` | the payloads with a label |
///
/// - The fields of other cases do not matter. Publishing a model leaves them as they are; publishing changes makes the
///   fields of the former case unknown.
/// - In JSON, `{"contact": {"phone": "+1"}}`, unless `form` says otherwise.
/// - A name without a case is a problem of the model: an unknown case is never taken for another one.
/// - A payload is a ``FieldValue`` or a ``FieldGroup``, and not optional. Where a case has several payloads, each has a
///   label. A default value stands for a field that is unknown or null.
///
/// The macro takes no generic enums, and no cases within `#if`. An enum with raw values is a ``FieldValue`` instead.
/// - Parameter form: how the enum stands in JSON: ``OneOfForm/keyed``, ``OneOfForm/tagged(by:texts:)`` or
///   ``OneOfForm/bare``.
@attached(
    member, names: named(init), named(FieldTypes), named(fieldNames), named(caseNames), named(jsonForm), named(write))
@attached(
    extension,
    conformances: FieldGroup, ModelFieldType, Hashable, Equatable, Sendable,
    names: named(==), named(isEqualByOwn), named(hash))
public macro OneOf(_ form: OneOfForm = .keyed) = #externalMacro(module: "ModelcastMacrosPlugin", type: "OneOfMacro")
