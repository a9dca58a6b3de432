import Testing

/// What the macro makes of nested structs, as text.
@Suite struct `Expansions of nested structs` {
    @Test func `a nested struct is a field for each property`() {
        Expansion(
            """
            @Nested
            public struct Address {
                public var street: String
                @Field("nr", validate: .range(1...9)) var n: Int?
                var land: String = "GB"
                @Field(convert: .iso8601) let on: Date
                var place: Place?
                var sink: Int
            }
            """
        )
        .expect(
            whole: #"""
                public struct Address {
                    public var street: String
                    var n: Int?
                    var land: String = "GB"
                    let on: Date
                    var place: Place?
                    var sink: Int

                    private var unread = ModelTypes.FieldSet()

                    init(
                        street: String,
                        n: Int? = nil,
                        land: String = "GB",
                        on: Date,
                        place: Place? = nil,
                        sink: Int
                    ) {
                        self.street = street
                        self.n = n
                        self.land = land
                        self.on = on
                        self.place = place
                        self.sink = sink
                    }

                    public init(
                        street: String,
                        n: Int? = nil,
                        land: String = "GB",
                        on: Date,
                        sink: Int
                    ) {
                        self.street = street
                        self.n = n
                        self.land = land
                        self.on = on
                        self.place = nil
                        self.sink = sink
                    }

                    public enum FieldTypes {
                        public typealias street = ModelTypes.FieldOf<String>
                        typealias n = ModelTypes.FieldOf<Int>
                        typealias land = ModelTypes.FieldOf<String>
                        typealias on = ModelTypes.ConvertedOf<Date>
                        // Fields are scalars, @FieldValue, @Nested, @OneOf, arrays and maps; other types take \#
                convert:.
                        typealias place = ModelTypes.FieldOf<Place>
                        typealias sink = ModelTypes.FieldOf<Int>
                    }

                    private enum FieldConversions {
                        static let on = ModelTypes.FieldRule.conversion(of: FieldTypes.on.self, by: .iso8601)
                    }

                    private enum FieldChecks {
                        static let n = ModelTypes.FieldRule.validation(of: FieldTypes.n.self, by: .range(1...9))
                    }

                    public enum FieldNames {
                        public static let street: ModelTypes.ModelField<FieldTypes.street> = "street"
                        static let n: ModelTypes.ModelField<FieldTypes.n> = "nr"
                        static let land: ModelTypes.ModelField<FieldTypes.land> = "land"
                        static let on: ModelTypes.ModelField<Swift.Never> = "on"
                        static let place: ModelTypes.ModelField<FieldTypes.place> = "place"
                        static let sink: ModelTypes.ModelField<FieldTypes.sink> = "sink"
                    }

                    private enum CodingKeys: Swift.String, Swift.CodingKey {
                        case street
                        case n = "nr"
                        case land
                        case on
                        case place
                        case sink
                    }

                    private var unknownFields: ModelTypes.FieldSet {
                        var unknown = unread
                        unknown.remove(1, where: n)
                        unknown.remove(2, where: land as FieldTypes.land, unlike: "GB")
                        unknown.remove(4, where: place)
                        return unknown
                    }

                    public static let fieldNames: [Swift.String] = [
                        ModelRecord.FieldName.members("street", of: FieldTypes.street.self),
                        ModelRecord.FieldName.members("nr", of: FieldTypes.n.self),
                        ModelRecord.FieldName.members("land", of: FieldTypes.land.self),
                        ["on"],
                        ModelRecord.FieldName.members("place", of: FieldTypes.place.self),
                        ModelRecord.FieldName.members("sink", of: FieldTypes.sink.self)
                    ].flatMap(\.self)

                    public init(reading source: inout some ModelTypes.FieldSource) throws(ModelTypes.FieldProblem) {
                        var unread = ModelTypes.FieldSet()
                        self.init(
                            street: try source.state(FieldNames.street._name, as: FieldTypes.street.self)\#
                .required(FieldNames.street._name),
                            n: try source.state(FieldNames.n._name, as: FieldTypes.n.self)\#
                .validated(by: FieldChecks.n).noted(1, in: &unread)\#
                .optional(FieldNames.n._name),
                            land: try source.state(FieldNames.land._name, as: FieldTypes.land.self)\#
                .noted(2, in: &unread)\#
                .optional(FieldNames.land._name) ?? "GB",
                            on: try source.state(FieldNames.on._name, by: FieldConversions.on)\#
                .required(FieldNames.on._name),
                            place: try source.state(FieldNames.place._name, as: FieldTypes.place.self)\#
                .noted(4, in: &unread)\#
                .optional(FieldNames.place._name),
                            sink: try source.state(FieldNames.sink._name, as: FieldTypes.sink.self)\#
                .required(FieldNames.sink._name)
                        )
                        self.unread = source.isWhole ? ModelTypes.FieldSet() : unread
                    }

                    public func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
                        let unknown = unknownFields
                        sink.put("street", street as FieldTypes.street)
                        try sink.validate("nr", n, by: FieldChecks.n)
                        sink.put("nr", n as FieldTypes.n?, unless: unknown.contains(1))
                        sink.put("land", land as FieldTypes.land, unless: unknown.contains(2))
                        sink.put("on", on, by: FieldConversions.on)
                        sink.put("place", place as FieldTypes.place?, unless: unknown.contains(4))
                        sink.put("sink", self.sink as FieldTypes.sink)
                        try sink.checkProblem()
                    }
                }

                nonisolated extension Address: ModelTypes.FieldGroup, ModelTypes.ModelFieldType, Swift.Hashable,
                    Swift.Equatable, Swift.Sendable, Swift.CustomStringConvertible
                {
                    public static func == (left: Self, right: Self) -> Swift.Bool {
                        if ModelTypes.FieldRule.differ(left.street as FieldTypes.street, right.street) { return false }
                        if ModelTypes.FieldRule.differ(left.n as FieldTypes.n?, right.n) { return false }
                        if ModelTypes.FieldRule.differ(left.land as FieldTypes.land, right.land) { return false }
                        if ModelTypes.FieldRule.differ(left.on as FieldTypes.on, right.on) { return false }
                        if ModelTypes.FieldRule.differ(left.place as FieldTypes.place?, right.place) { return false }
                        if ModelTypes.FieldRule.differ(left.sink as FieldTypes.sink, right.sink) { return false }
                        if ModelTypes.FieldRule.differ(left.unknownFields, right.unknownFields) { return false }
                        return true
                    }

                    public func hash(into hasher: inout Swift.Hasher) {
                        hasher.combine(street as FieldTypes.street)
                        hasher.combine(n as FieldTypes.n?)
                        hasher.combine(land as FieldTypes.land)
                        hasher.combine(on as FieldTypes.on)
                        hasher.combine(place as FieldTypes.place?)
                        hasher.combine(sink as FieldTypes.sink)
                    }

                    public var description: Swift.String {
                        ModelTypes.ModelText.of(
                            self,
                            "\(Self.self)",
                            unless: unknownFields,
                            fields: "street",
                            "n",
                            "land",
                            "on",
                            "place",
                            "sink"
                        )
                    }
                }
                """#)
    }

    @Test func `one's own initialiser is kept, and default values of optional properties`() {
        Expansion(
            """
            @Nested
            struct Page {
                @Field(default: 3) var size: Int?
                var kind: Self.Kind = Self.standard

                init(size: Int?, kind: Self.Kind) {}
            }
            """
        )
        .expect(
            parts:
                "size: try source.state(FieldNames.size._name, as: FieldTypes.size.self)"
                + ".noted(0, in: &unread).ifKnown(FieldNames.size._name) ?? 3,",
            "state(FieldNames.kind._name, as: FieldTypes.kind.self)"
                + ".noted(1, in: &unread).optional(FieldNames.kind._name) ?? Page.standard",
            without: "self.size = size")
    }
}
