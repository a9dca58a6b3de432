/// A type that a property of a model may have without a conversion: the value of one field (``FieldValue``), or of
/// several (``FieldGroup``).
///
/// A type of your own is one when it is a struct with `@FieldValue` or `@Nested`, an enum with `@OneOf`, or an enum
/// with a raw value that conforms to ``FieldValue``.
public protocol ModelFieldType: Hashable, Sendable {}

/// The type itself, where it is that of a field. Generated code names each type once in this way and otherwise by the
/// alias, so that a type that no field can have is one error.
public typealias FieldOf<T: ModelFieldType> = T

/// The type itself, where it is that of the elements of an array, or of the values of a map, that are a field.
public typealias ElementOf<T: FieldValue> = T

/// The type itself, where it is that of a property with a conversion.
public typealias ConvertedOf<T: Hashable & Sendable> = T
