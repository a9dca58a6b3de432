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

                    public init(
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

                    private enum Names {
                        static let street: FieldName = "street"
                        static let n: FieldName = "nr"
                        static let land: FieldName = "land"
                        static let on: FieldName = "on"
                        static let place: FieldName = "place"
                        static let sink: FieldName = "sink"
                    }

                    public static let fieldNames: [String] = [
                        FieldName.members("street", of: String.self),
                        FieldName.members("nr", of: Int.self),
                        FieldName.members("land", of: String.self),
                        ["on"],
                        FieldName.members("place", of: Place.self),
                        FieldName.members("sink", of: Int.self)
                    ].flatMap(\.self)

                    public init(reading source: inout some FieldSource) throws(FieldProblem) {
                        self.init(
                            street: try source.state(Names.street, as: String.self).required(Names.street),
                            n: try source.state(Names.n, as: Int.self).validated(by: .range(1...9)).optional(Names.n),
                            land: try source.state(Names.land, as: String.self).required(Names.land, default: "GB"),
                            on: try source.state(Names.on, by: .iso8601).required(Names.on),
                            place: try source.state(Names.place, as: Place.self).optional(Names.place),
                            sink: try source.state(Names.sink, as: Int.self).required(Names.sink)
                        )
                    }

                    public func write(into sink: inout some FieldSink) throws(FieldProblem) {
                        try sink.write("street", street)
                        try sink.validate("nr", n, by: .range(1...9))
                        try sink.write("nr", n)
                        try sink.write("land", land)
                        try sink.write("on", on, by: .iso8601)
                        try sink.write("place", place)
                        try sink.write("sink", self.sink)
                    }
                }

                extension Address: FieldGroup {}
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
            parts: "size: try source.state(Names.size, as: Int.self).optional(Names.size) ?? 3,",
            "state(Names.kind, as: Page.Kind.self).required(Names.kind, default: Page.standard)",
            without: "self.size = size")
    }
}
