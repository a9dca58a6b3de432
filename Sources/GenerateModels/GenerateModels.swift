import Foundation
import PackagePlugin

/// Makes models of the schemas of a target: of every file `*.schema.json` in it.
///
/// ```swift
/// .target(name: "Models", dependencies: ["ModelcastMacros"], plugins: ["GenerateModels"])
/// ```
/// `user.schema.json` becomes `user.schema.swift` in the build folder, a part of the target. The target needs a file of
/// Swift beside its schemas, which may be empty: SwiftPM makes no module of generated files alone. The schemas may
/// refer to each other, so that all are read when one has changed. What is to be seen from other targets says
/// `"x-modelcast-access": "public"` at its root.
@main
struct GenerateModels: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target.sourceModule else { return [] }
        let schemas = target.sourceFiles(withSuffix: ".schema.json").map(\.url).sorted { $0.path < $1.path }
        guard !schemas.isEmpty else { return [] }
        let folder = context.pluginWorkDirectoryURL
        return [
            .buildCommand(
                displayName: "Models of the schemas of \(target.name)",
                executable: try context.tool(named: "ModelcastGenerateTool").url,
                arguments: ["--output", folder.path] + schemas.map(\.path), inputFiles: schemas,
                outputFiles: schemas.map { schema in
                    folder.appending(path: schema.deletingPathExtension().lastPathComponent + ".swift")
                })
        ]
    }
}
