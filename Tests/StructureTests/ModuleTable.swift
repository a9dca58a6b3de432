/// Which target may import what. The order is that of Package.swift: an arrow only ever points to a line above.
enum ModuleTable {
    struct Row {
        let target: String
        /// Targets of this package.
        let ours: Set<String>
        /// Modules from elsewhere; nil allows any. The pure targets may reach no socket, clock or thread.
        let others: Set<String>?
    }

    /// What the services stand on. HTTP is the console's, which nobody has to build who does not want it.
    private static let ofServices: Set = [
        "Synchronization", "Dispatch", "CDispatch", "Foundation", "Glibc", "Darwin", "Logging", "Metrics",
        "ServiceLifecycle",
    ]

    static let rows = [
        Row(target: "CLibZMQ", ours: [], others: nil),
        Row(target: "ZeroMQ", ours: ["CLibZMQ"], others: nil),
        Row(target: "ModelCBOR", ours: [], others: ["Synchronization"]),
        Row(target: "CPrefetch", ours: [], others: nil),
        Row(target: "CSlots", ours: [], others: nil),
        Row(
            target: "ModelRecord", ours: ["ModelCBOR", "CPrefetch"],
            others: ["Synchronization", "FoundationEssentials"]),
        Row(target: "ModelWire", ours: ["ModelCBOR", "ModelRecord"], others: ["Synchronization"]),
        Row(target: "ModelGrants", ours: [], others: []),
        Row(target: "CSodium", ours: [], others: nil),
        Row(target: "CLibCrypto", ours: [], others: nil),
        Row(target: "ModelSigning", ours: ["CSodium", "CLibCrypto"], others: []),
        // Regular expressions are in the larger Foundation alone.
        Row(
            target: "ModelTypes", ours: ["ModelRecord"],
            others: ["FoundationEssentials", "Foundation", "Synchronization"]
        ),
        Row(
            target: "ModelCache", ours: ["ModelCBOR", "CPrefetch", "CSlots", "ModelRecord", "ModelTypes"],
            others: ["Synchronization", "Dispatch"]),
        Row(
            target: "ModelViews", ours: ["ModelRecord", "ModelTypes", "ModelCache"],
            others: ["Dispatch", "Observation"]),
        Row(
            target: "ModelStore", ours: ["ModelCBOR", "ModelRecord", "ModelWire", "ModelCache"],
            others: ["Synchronization", "Dispatch", "Foundation", "GRDB", "GRDBSQLite"]),
        Row(
            target: "ModelSync",
            ours: ["ModelCBOR", "ModelRecord", "ModelWire", "ModelGrants", "ModelSigning", "ModelCache"],
            others: ["Synchronization"]),
        Row(
            target: "Modelcast",
            ours: [
                "ZeroMQ", "ModelRecord", "ModelTypes", "ModelWire", "ModelGrants", "ModelSigning", "ModelStore",
                "ModelCache", "ModelViews", "ModelSync",
            ],
            others: ofServices),
        Row(
            target: "ModelcastTesting", ours: ["ModelWire", "ModelSync", "Modelcast"],
            others: ofServices),
        Row(target: "ModelcastGenerate", ours: [], others: ["Foundation"]),
        Row(target: "ModelcastGenerateTool", ours: ["ModelcastGenerate"], others: nil),
        Row(target: "ModelReference", ours: [], others: []),
        Row(target: "ModelJSON", ours: ["ModelRecord", "ModelCache"], others: ["Foundation"]),
        Row(
            target: "ModelcastConsole",
            ours: [
                "ModelRecord", "ModelWire", "ModelGrants", "ModelSigning", "ModelCache", "ModelSync", "Modelcast",
                "ModelJSON",
            ], others: nil),
        Row(
            target: "ModelcastSimulation",
            ours: [
                "ModelReference", "ModelRecord", "ModelWire", "ModelGrants", "ModelSigning", "ModelCache", "ModelSync",
            ],
            others: nil),
        Row(
            target: "ModelcastBench",
            ours: [
                "CLibZMQ", "ZeroMQ", "CPrefetch", "ModelRecord", "ModelWire", "ModelStore", "ModelCache", "ModelSync",
                "Modelcast",
            ],
            others: nil),
        Row(target: "ModelcastSimulate", ours: ["ModelcastSimulation"], others: nil),
        Row(target: "ModelcastCount", ours: ["ModelcastBench"], others: nil),
        Row(
            target: "ModelcastCommand",
            ours: [
                "ModelRecord", "ModelCache", "Modelcast", "ModelcastBench", "ModelJSON", "ModelcastConsole",
                "ModelcastGenerate",
            ],
            others: nil),
        Row(target: "ModelcastMacrosPlugin", ours: [], others: nil),
        Row(target: "ModelcastMacros", ours: ["ModelRecord", "ModelTypes"], others: []),
        Row(target: "GenerateModels", ours: [], others: nil),
        Row(target: "Examples", ours: ["Modelcast", "ModelcastMacros"], others: nil),
    ]

    static let targets = rows.map(\.target)

    /// The targets that must be the same under a simulator: their time and chance come in as parameters.
    static let pure = rows.filter {
        let ofSystem = ["ModelCache", "ModelViews", "ModelStore", "Modelcast", "ModelcastTesting"]
        return $0.others != nil && !ofSystem.contains($0.target)
    }
    .map(\.target)

    /// One sentence for each import of the file that the table does not allow.
    static func complaints(about file: SourceFile) -> [String] {
        guard let row = rows.first(where: { $0.target == file.target }) else {
            return ["\(file.path): no target \(file.target) in ModuleTable"]
        }
        let imports = file.imports
        // Under `#if canImport(FoundationEssentials)` its big sister is what other systems have instead.
        let hasEssentials = imports.contains { $0.module == "FoundationEssentials" }
        return imports.compactMap { line, module in
            let name = module == "Foundation" && hasEssentials ? "FoundationEssentials" : module
            let allowed =
                if targets.contains(name) { row.ours.contains(name) } else { row.others?.contains(name) ?? true }
            return allowed ? nil : "\(file.path):\(line): \(row.target) may not import \(module)"
        }
    }
}
