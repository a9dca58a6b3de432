// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// What every target is compiled with: Swift 6 mode, no warning survives, and every
/// unsafe operation is spelled out where it happens.
let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableExperimentalFeature("Lifetimes"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let metricsCore = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let sqlite = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqliteLibrary = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")

/// One source target; `uses` may name only targets that stand above it in this file.
/// A test reads the import lines and fails on any other arrow.
func library(_ name: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// - Parameters:
///   - title: what the tests are named after where it is not the target.
///   - isHeavy: the tests themselves compute much. All others are not optimised in a release build either,
///     which would take longer than to run them: those of ModelSync a minute and a half, to save 15 s. (Flags for the
///     compiler keep nobody from using the package as long as they are those of tests.)
func tests(
    named title: String? = nil, of name: String, isHeavy: Bool = false, uses more: [Target.Dependency] = []
) -> Target {
    .testTarget(
        name: (title ?? name) + "Tests",
        dependencies: [.byName(name: name), "TestSupport"] + more,
        swiftSettings: settings + (isHeavy ? [] : [.unsafeFlags(["-Onone"], .when(configuration: .release))]))
}

func syntax(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-syntax") }

/// Macros are compiled by swift-syntax, which takes minutes in a release build. The scripts build parts of the package
/// apart, each as it needs it: `services`, all but macros and examples, optimised; `macros`, these with the tests that
/// expand them; `models`, what uses them. A test that expands macros itself makes SwiftPM build all that is tested
/// beside it for the host of macros, and once more for the examples. `threads` are the suites that the thread sanitizer
/// looks at, and what these stand on; `addresses` those of the address sanitizer. Unset, everything is here but the
/// tests as a client, whose libraries nobody else needs.
let parts = Context.environment["MODELCAST_PARTS"]
let isWhole = !["services", "models", "macros", "threads", "addresses"].contains(parts)
let isMacrosAlone = parts == "macros"
let hasThreads = isWhole || parts == "services" || parts == "threads"
let hasThreadSafety = hasThreads || parts == "addresses"
let hasServices = isWhole || parts == "services"
let hasExpansions = isWhole || isMacrosAlone
let hasModels = isWhole || parts == "models"
let hasMacros = hasExpansions || hasModels
/// A client that uses other libraries beside: what these are is no business of whoever uses the package.
let hasClients = parts == "models"

/// Records, wire, types, cache and views: all that the tests which expand macros stand on.
let base: [Target] = [
    .target(name: "CLibZMQ"),
    library("ZeroMQ", uses: ["CLibZMQ"]),
    library("ModelCBOR"),
    .target(name: "CPrefetch"),
    .target(name: "CSlots"),
    library("ModelRecord", uses: ["ModelCBOR", "CPrefetch"]),
    library("ModelWire", uses: ["ModelCBOR", "ModelRecord"]),
    library("ModelGrants"),
    .target(name: "CSodium"),
    .target(name: "CLibCrypto"),
    library("ModelSigning", uses: ["CSodium", "CLibCrypto"]),
    library("ModelTypes", uses: ["ModelRecord"]),
    library("ModelCache", uses: ["ModelCBOR", "CPrefetch", "CSlots", "ModelRecord", "ModelTypes"]),
    library("ModelViews", uses: ["ModelRecord", "ModelTypes", "ModelCache"]),
]

let core: [Target] = [
    library("ModelStore", uses: ["ModelCBOR", "ModelRecord", "ModelWire", "ModelCache", sqlite, sqliteLibrary]),
    library("ModelSync", uses: ["ModelCache", "ModelWire", "ModelRecord", "ModelCBOR", "ModelGrants", "ModelSigning"]),
    library(
        "Modelcast",
        uses: [
            "ZeroMQ", "ModelRecord", "ModelTypes", "ModelWire", "ModelStore", "ModelCache", "ModelViews",
            "ModelSync", "ModelGrants", "ModelSigning", log, metrics, lifecycle,
        ]),
    library("ModelcastTesting", uses: ["Modelcast", "ModelSync", "ModelWire", log]),
    library("ModelcastGenerate"),
    .executableTarget(
        name: "ModelcastGenerateTool", dependencies: ["ModelcastGenerate", arguments], swiftSettings: settings),
]

/// What tests and the simulator hold the merge against.
let reference: [Target] = [library("ModelReference")]

let services: [Target] = [
    library("ModelJSON", uses: ["ModelRecord", "ModelCache"]),
    library(
        "ModelcastConsole",
        uses: [
            "Modelcast", "ModelSync", "ModelWire", "ModelCache", "ModelRecord", "ModelJSON", "ModelGrants",
            "ModelSigning", log, metricsCore, lifecycle, hummingbird, hummingbirdCore, httpTypes, nio, nioHTTPTypes,
        ]),
    library(
        "ModelcastSimulation",
        uses: [
            "ModelReference", "ModelSync", "ModelCache", "ModelWire", "ModelRecord", "ModelGrants", "ModelSigning",
        ]),
    library(
        "ModelcastBench",
        uses: [
            "Modelcast", "ModelSync", "ModelStore", "ModelCache", "ModelRecord", "ModelWire", "ZeroMQ", "CLibZMQ",
            "CPrefetch", histogram, log,
        ]),
    .executableTarget(
        name: "ModelcastSimulate", dependencies: ["ModelcastSimulation", arguments], swiftSettings: settings),
    .executableTarget(
        name: "ModelcastCount", dependencies: ["ModelcastBench", arguments], swiftSettings: settings),
    .executableTarget(
        name: "ModelcastCommand",
        dependencies: [
            "Modelcast", "ModelcastBench", "ModelcastConsole", "ModelcastGenerate", "ModelJSON", "ModelCache",
            "ModelRecord",
            arguments, log, metrics, lifecycle, signals,
        ],
        swiftSettings: settings),
]

let macros: [Target] = [
    .macro(
        name: "ModelcastMacrosPlugin",
        dependencies: [
            syntax("SwiftSyntax"), syntax("SwiftSyntaxMacros"), syntax("SwiftSyntaxBuilder"), syntax("SwiftParser"),
            syntax("SwiftDiagnostics"), syntax("SwiftCompilerPlugin"),
        ],
        swiftSettings: settings),
    library("ModelcastMacros", uses: ["ModelRecord", "ModelTypes", "ModelcastMacrosPlugin"]),
]

let models: [Target] = [
    .plugin(
        name: "GenerateModels", capability: .buildTool(), dependencies: ["ModelcastGenerateTool"],
        path: "Sources/GenerateModels"),
    .executableTarget(
        name: "Examples", dependencies: ["Modelcast", "ModelcastMacros", arguments, log, lifecycle, signals],
        swiftSettings: settings),
]

let testSupport: [Target] = [
    .target(
        name: "TestSupport", dependencies: ["ZeroMQ", "ModelCBOR", "ModelRecord", "ModelWire", "ModelCache"],
        path: "Tests/TestSupport", swiftSettings: settings)
]

let threadTests: [Target] = [
    tests(of: "ModelCache", isHeavy: true, uses: ["ModelCBOR", "ModelRecord"]),
    tests(of: "ModelViews", uses: ["ModelRecord", "ModelTypes", "ModelCache", "ModelWire"]),
    tests(
        of: "Modelcast",
        uses: [
            "ZeroMQ", "ModelWire", "ModelStore", "ModelCache", "ModelSync", "ModelGrants", log, metrics, lifecycle,
            signals,
        ]),
]

let threadSafetyTests: [Target] = [
    tests(
        named: "ThreadSafety", of: "Modelcast",
        uses: [
            "ModelReference", "ModelRecord", "ModelTypes", "ModelWire", "ModelCache", "ModelViews", "ModelSync", log,
        ])
]

let serviceTests: [Target] = [
    tests(of: "ZeroMQ", uses: ["ModelRecord"]),
    tests(of: "ModelCBOR", isHeavy: true),
    tests(of: "ModelRecord", isHeavy: true, uses: ["ModelReference", "ModelCBOR"]),
    tests(of: "ModelWire", isHeavy: true, uses: ["ModelCBOR", "ModelRecord"]),
    tests(of: "ModelGrants"),
    tests(of: "ModelSigning", uses: ["ModelCBOR", "ModelRecord", "ModelWire"]),
    tests(of: "ModelTypes", uses: ["ModelRecord", "ModelCache", "ModelWire"]),
    tests(of: "ModelStore", uses: ["ModelCBOR", "ModelRecord", "ModelWire", "ModelCache", sqlite]),
    tests(of: "ModelSync", uses: ["ModelcastSimulation", "ModelCache", "ModelWire", "ModelRecord", "ModelGrants"]),
    tests(of: "ModelcastSimulation", uses: ["ModelSync", "ModelCache", "ModelWire", "ModelRecord"]),
    tests(of: "ModelJSON", uses: ["Modelcast", "ModelRecord", "ModelCache", "ModelWire", log]),
    tests(of: "ModelcastGenerate"),
    tests(of: "ModelcastTesting", uses: ["Modelcast"]),
    tests(
        of: "ModelcastConsole",
        uses: ["Modelcast", "ModelcastTesting", "ModelSync", metricsCore, log, lifecycle, signals]),
    tests(of: "ModelcastBench", uses: ["ModelCache", "ModelWire", "Modelcast", log]),
    tests(of: "ModelcastCommand", uses: ["Modelcast", "ModelWire"]),
    .testTarget(
        name: "StructureTests",
        swiftSettings: settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]),
]

/// Tests that expand macros themselves.
let expansionTests: [Target] = [
    .testTarget(
        name: "ModelcastMacrosTests",
        dependencies: [
            "ModelcastMacros", "ModelcastMacrosPlugin", "ModelTypes", "ModelRecord", "ModelWire", "ModelCache",
            "ModelViews", "TestSupport", syntax("SwiftSyntax"), syntax("SwiftParser"), syntax("SwiftDiagnostics"),
            syntax("SwiftSyntaxBuilder"),
            syntax("SwiftSyntaxMacros"), syntax("SwiftSyntaxMacroExpansion"),
            syntax("SwiftSyntaxMacrosGenericTestSupport"),
        ],
        swiftSettings: settings)
]

let modelTests: [Target] = [
    .testTarget(
        name: "MainActorTests", dependencies: ["ModelcastMacros"],
        swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .testTarget(
        name: "GeneratedModelsTests",
        dependencies: [
            "Modelcast", "ModelcastMacros", "ModelRecord", "ModelTypes", "TestSupport", log,
        ],
        swiftSettings: settings,
        plugins: ["GenerateModels"]),
]

let clientTests: [Target] = [
    .testTarget(
        name: "ClientTests",
        dependencies: [
            "Modelcast", "ModelcastMacros", "ModelcastTesting", sqlite, log, lifecycle,
            nio, hummingbird,
        ],
        // As a client that is a package of its own.
        packageAccess: false,
        swiftSettings: settings)
]

let serviceProducts: [Product] = [
    .library(name: "ModelcastConsole", targets: ["ModelcastConsole"]),
    .library(name: "ModelcastSimulation", targets: ["ModelcastSimulation"]),
    .executable(name: "modelcast", targets: ["ModelcastCommand"]),
    .executable(name: "modelcast-simulate", targets: ["ModelcastSimulate"]),
    .executable(name: "modelcast-count", targets: ["ModelcastCount"]),
]

let macroProducts: [Product] = [
    .library(name: "ModelcastMacros", targets: ["ModelcastMacros"])
]

let modelProducts: [Product] = [
    .plugin(name: "GenerateModels", targets: ["GenerateModels"])
]

let macroDependencies: [Package.Dependency] = [
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1")
]

/// HTTP, for the console and for the client that has a web service of its own.
let httpDependencies: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    // Without its trait for configuration, whose packages would be built for nothing.
    .package(
        url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
]

/// What of that the console alone uses.
let consoleDependencies: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2")
]

let products: [Product] = [
    .library(name: "Modelcast", targets: ["Modelcast"]),
    .library(name: "ModelcastTesting", targets: ["ModelcastTesting"]),
]

let package = Package(
    name: "modelcast",
    platforms: [.macOS(.v26)],
    products: (isMacrosAlone ? [] : products)
        + (hasServices ? serviceProducts : [])
        + (hasMacros ? macroProducts : [])
        + (hasModels ? modelProducts : []),
    // The same for `macros` and `models`, which are built in one folder.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ] + (hasMacros ? macroDependencies : []) + (hasServices || hasClients || isMacrosAlone ? httpDependencies : [])
        + (hasServices ? consoleDependencies : []),
    targets: base + (isMacrosAlone ? [] : core) + testSupport + (hasThreadSafety ? reference + threadSafetyTests : [])
        + (hasThreads ? threadTests : [])
        + (hasServices ? services + serviceTests : [])
        + (hasMacros ? macros : []) + (hasExpansions ? expansionTests : [])
        + (hasModels ? models + modelTests : []) + (hasClients ? clientTests : []),
    swiftLanguageModes: [.v6]
)
