/// Conversions and validations, each found to be one for the type of its property, and equality. For generated code,
/// which names each conversion in one place, so that a wrong one is one error.
public enum FieldRule {
    /// True for values that are not equal. The operator has so many meanings that the compiler takes long to find the
    /// right one.
    @inlinable public static func differ<T: Equatable>(_ left: T, _ right: T) -> Bool { left != right }

    /// True for two partial models of which the same is known, by their stored properties. For generated code.
    public static func areEqual<P: PartialModel>(_ left: P, _ right: P) -> Bool {
        guard left.id == right.id else { return false }
        return zip(Mirror(reflecting: left).children, Mirror(reflecting: right).children).allSatisfy { left, right in
            guard let left = left.value as? AnyHashable, let right = right.value as? AnyHashable else { return false }
            return left == right
        }
    }

    /// Does nothing: it compiles where a type can be that of an id.
    @inlinable public static func requireID<T: ModelID>(_ type: T.Type) {}

    /// The error of a type that cannot be that of an id.
    @available(
        *, unavailable, message: "an id is text, an integer, a UUID, or a type of your own that conforms to ModelID"
    )
    public static func requireID<T>(_ type: T.Type) {}

    /// The conversion of a property of this type.
    @inlinable public static func conversion<T, C: FieldConversion>(of type: T.Type, by conversion: C) -> C
    where C.Property == T {
        conversion
    }

    /// The validation of a property of this type.
    @inlinable public static func validation<T>(
        of type: T.Type, by validation: RangeValidation<T>
    ) -> RangeValidation<T> {
        validation
    }

    /// The validation of a property of this type.
    @inlinable public static func validation<T>(
        of type: T.Type, by validation: CheckValidation<T>
    ) -> CheckValidation<T> {
        validation
    }

    /// The validation of a property of this type: of an array, or of bytes.
    @inlinable public static func validation<T: RandomAccessCollection>(
        of type: T.Type, by validation: CountValidation
    ) -> CountValidation {
        validation
    }

    /// The validation of a property of this type.
    @inlinable public static func validation<T>(
        of type: [String: T].Type, by validation: CountValidation
    ) -> CountValidation {
        validation
    }

    /// The error of a text, which is a collection too.
    @available(*, unavailable, message: "the characters of a text are counted by .length, not by .count")
    public static func validation<T: StringProtocol>(
        of type: T.Type, by validation: CountValidation
    ) -> CountValidation {
        validation
    }

    /// The validation of a property of this type.
    @inlinable public static func validation<T, V: FieldValidation>(of type: T.Type, by validation: V) -> V
    where V.Value == T {
        validation
    }
}
