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

                    public enum FieldNames {
                        public static let street: ModelTypes.ModelField<String> = "street"
                        static let n: ModelTypes.ModelField<Int> = "nr"
                        static let land: ModelTypes.ModelField<String> = "land"
                        static let on: ModelTypes.ModelField<Never> = "on"
                        static let place: ModelTypes.ModelField<Place> = "place"
                        static let sink: ModelTypes.ModelField<Int> = "sink"
                    }

                    public static let fieldNames: [String] = [
                        ModelRecord.FieldName.members("street", of: String.self),
                        ModelRecord.FieldName.members("nr", of: Int.self),
                        ModelRecord.FieldName.members("land", of: String.self),
                        ["on"],
                        ModelRecord.FieldName.members("place", of: Place.self),
                        ModelRecord.FieldName.members("sink", of: Int.self)
                    ].flatMap(\.self)

                    public init(reading source: inout some ModelTypes.FieldSource) throws(ModelTypes.FieldProblem) {
                        self.init(
                            street: try source.state(FieldNames.street._name, as: String.self)\#
                .required(FieldNames.street._name),
                            n: try source.state(FieldNames.n._name, as: Int.self).validated(by: .range(1...9))\#
                .optional(FieldNames.n._name),
                            land: try source.state(FieldNames.land._name, as: String.self)\#
                .required(FieldNames.land._name, default: "GB"),
                            on: try source.state(FieldNames.on._name, by: .iso8601).required(FieldNames.on._name),
                            place: try source.state(FieldNames.place._name, as: Place.self)\#
                .optional(FieldNames.place._name),
                            sink: try source.state(FieldNames.sink._name, as: Int.self).required(FieldNames.sink._name)
                        )
                    }

                    public func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
                        try sink.write("street", street)
                        try sink.validate("nr", n, by: .range(1...9))
                        try sink.write("nr", n)
                        try sink.write("land", land)
                        try sink.write("on", on, by: .iso8601)
                        try sink.write("place", place)
                        try sink.write("sink", self.sink)
                    }
                }

                nonisolated extension Address: ModelTypes.FieldGroup {}
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
            parts: "size: try source.state(FieldNames.size._name, as: Int.self).optional(FieldNames.size._name) ?? 3,",
            "state(FieldNames.kind._name, as: Page.Kind.self).required(FieldNames.kind._name, default: Page.standard)",
            without: "self.size = size")
    }
}
