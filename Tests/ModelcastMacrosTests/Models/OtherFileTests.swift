import TestSupport
import Testing

/// Types with macros that are used in another file than the one in which they stand.
@Suite struct OtherFileTests {
    private static let models = """
        import ModelcastMacros
        @Nested struct Address { var street: String; var city: String? }
        @FieldValue struct Label { var text: String }
        @OneOf enum Contact { case phone(String); case nobody }
        @Model struct Customer {
            @ID let id: Int
            var address: Address?
            var label: Label?
            var contact: Contact?
        }
        struct Holder { var customer: Customer }
        """

    /// What is done with a value first, and then what its type is wanted for.
    static let uses: [(value: String, type: String, protocols: [String])] = [
        (
            "holder.customer.id", "Customer",
            ["Model", "Identifiable", "Hashable", "Equatable", "Codable", "CustomStringConvertible"]
        ),
        (
            "holder.customer.address?.street", "Address",
            ["FieldGroup", "ModelFieldType", "Hashable", "Equatable", "CustomStringConvertible"]
        ),
        (
            "holder.customer.label?.text", "Label",
            ["StructuredValue", "FieldValue", "ModelFieldType", "Hashable", "Equatable", "Codable"]
        ),
        ("holder.customer.contact == .nobody", "Contact", ["FieldGroup", "ModelFieldType", "Hashable", "Equatable"]),
    ]

    @Test(arguments: uses.indices)
    func `a type is all that its macro makes it in every file, whatever was looked at first`(index: Int) throws {
        guard let compiler = CompilerRun(of: "ModelcastMacros") else { return }
        let use = Self.uses[index]
        for name in use.protocols {
            let program = """
                import ModelTypes
                func need<T: \(name)>(_ type: T.Type) {}
                func use(_ holder: Holder) {
                    _ = \(use.value)
                    need(\(use.type).self)
                }
                """
            let errors = try compiler.errors(program, beside: Self.models)
            #expect(errors.isEmpty, "\(use.type) is no \(name): \(errors)")
        }
    }

    @Test func `a group is a field of its model in every file`() throws {
        guard let compiler = CompilerRun(of: "ModelcastMacros") else { return }
        let program = """
            import ModelcastMacros
            func isKnown(_ model: Customer) -> Bool { model.address?.street == "S" && model.knows(\\.address) }
            """
        let errors = try compiler.errors(program, beside: Self.models)
        #expect(errors.isEmpty, "\(errors)")
    }
}
