import Foundation
import TestSupport
import Testing

/// The units, the example settings and the Dockerfile of `Deploy` name options, commands and articles that exist, and
/// each setting is one that a unit uses.
@Suite(.serialized) struct DeployTests {
    private static let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
        .dropFirst()

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(Self.root)/\(path)", encoding: .utf8)
    }

    /// All files of `Deploy` and of the folders in it, by name.
    private func files() throws -> [(name: String, text: String)] {
        let all = try FileManager.default.subpathsOfDirectory(atPath: "\(Self.root)/Deploy").sorted()
        return try all.filter { path in !all.contains { $0.hasPrefix(path + "/") } }.map {
            (URL(fileURLWithPath: $0).lastPathComponent, try text("Deploy/\($0)"))
        }
    }

    private func options(in text: some StringProtocol) -> Set<String> {
        Set(String(text).matches(of: /(?:^|[\s\[(`"])(--[a-z][a-z-]*[a-z])/).map { String($0.output.1) })
    }

    /// The options that a subcommand tells of; none where there is no such subcommand.
    private func options(of subcommand: String) async throws -> Set<String> {
        let help = try RunningCommand(["help"] + subcommand.split(separator: " ").map(String.init))
        // For an unknown one the help of the whole command comes.
        guard try await help.exitCode() == 0, help.output.contains("USAGE: modelcast \(subcommand)") else { return [] }
        return options(in: help.output)
    }

    private func settings(in text: String) -> Set<String> {
        Set(text.matches(of: /MODELCAST_[A-Z_]+/).map { String($0.output) })
    }

    @Test(arguments: [
        ("publisher", "publish"), ("relay", "relay"), ("subscriber", "subscribe"), ("gateway", "gateway"),
    ])
    func `the example settings of a unit name options that its subcommand has, and are those that it uses`(
        unit: String, subcommand: String
    ) async throws {
        let known = try await options(of: subcommand)
        #expect(known.contains("--store"))
        let (example, service) = (try text("Deploy/\(unit)-example.env"), try text("Deploy/modelcast-\(unit)@.service"))
        for (name, text) in [("example", example), ("unit", service), ("keys", try text("Deploy/keys.conf"))] {
            // Options of systemd's own commands are in the lines that name these.
            let lines = text.split(separator: "\n").filter { !$0.contains("systemctl") }
            let unknown = options(in: lines.joined(separator: "\n")).subtracting(known)
            #expect(unknown.isEmpty, "\(unit), \(name)")
        }
        let given = Set(
            example.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { String($0.prefix { $0 != "=" }) })
        // What keys.conf sets.
        let used = settings(in: service).subtracting(["MODELCAST_KEYS"])
        #expect(given == used)
        let table = try text("Sources/Modelcast/Modelcast.docc/Operations.md")
        #expect(given.allSatisfy { table.contains("`\($0)`") })
    }

    @Test func `every command line in Deploy has a subcommand and options that exist`() async throws {
        var count = 0
        for file in try files() {
            // A line that goes on in the next, also within a comment.
            let text = file.text.replacing(/\\\n#?/, with: " ")
            for match in text.matches(of: /\bmodelcast (?:help )?(?!command\b)([a-z]{3,}(?: check)?)\b([^\n`;|]*)/) {
                let known = try await options(of: String(match.output.1))
                #expect(!known.isEmpty, "\(file.name): modelcast \(match.output.1)")
                let unknown = options(in: match.output.2).subtracting(known)
                #expect(unknown.isEmpty, "\(file.name): \(match.output.0)")
                count += 1
            }
        }
        #expect(count > 8)
    }

    @Test(arguments: ["relay", "gateway"])
    func `what a manifest starts has a subcommand and options that exist`(name: String) async throws {
        let manifest = try text("Deploy/kubernetes/\(name).yaml")
        let arguments = manifest.matches(of: /^ {12}- (\S+)$/.anchorsMatchLineEndings()).map { String($0.output.1) }
        let subcommand = try #require(arguments.first)
        let known = try await options(of: subcommand)
        let used = arguments.dropFirst().map { String($0.prefix { $0 != "=" }) }
        #expect(used.count > 4 && Set(used).subtracting(known).isEmpty, "\(used)")
    }

    @Test(arguments: ["relay", "gateway"])
    func `a container is asked whether it lives and is ready, and may do nothing but serve`(name: String) throws {
        let lines = try text("Deploy/kubernetes/\(name).yaml").split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        for wanted in [
            "livenessProbe:", "readinessProbe:", "httpGet: {path: /livez, port: http}",
            "httpGet: {path: /readyz, port: http}", "runAsNonRoot: true", "seccompProfile: {type: RuntimeDefault}",
            "allowPrivilegeEscalation: false", "readOnlyRootFilesystem: true", "capabilities: {drop: [ALL]}",
            "automountServiceAccountToken: false",
        ] {
            #expect(lines.contains(wanted), "\(wanted)")
        }
        #expect(lines.count { $0.hasPrefix("image: ") } == 1, "a container more, of which this says nothing")
    }

    @Test(arguments: ["publisher", "subscriber", "relay", "gateway"])
    func `a unit tells when it is ready, is watched, and may do nothing but serve`(name: String) throws {
        let lines = try text("Deploy/modelcast-\(name)@.service").split(separator: "\n").map(String.init)
        for wanted in [
            "Type=notify", "WatchdogSec=60", "DynamicUser=yes", "NoNewPrivileges=yes", "CapabilityBoundingSet=",
            "ProtectSystem=strict", "ProtectHome=yes", "PrivateTmp=yes", "MemoryDenyWriteExecute=yes",
            "SystemCallFilter=@system-service", "SystemCallFilter=~@privileged @resources",
        ] {
            #expect(lines.contains(wanted), "\(wanted)")
        }
    }

    @Test func `every file and article that Deploy names exists`() throws {
        let files = try files()
        let names = Set(files.map(\.name))
        for file in files {
            for match in file.text.matches(of: /(?:^|[\s(`])([\w.-]+\.(?:conf|env))\b/) {
                // Files of an installation have a name of their own in them.
                let name = String(match.output.1)
                #expect(names.contains(name) || name.contains("NAME") || name.hasPrefix("."), "\(file.name): \(name)")
            }
            for match in file.text.matches(of: /\b([A-Z][A-Za-z]+)\.md\b|<doc:([A-Za-z]+)>/) {
                let name = match.output.1 ?? match.output.2 ?? ""
                let path = "\(Self.root)/Sources/Modelcast/Modelcast.docc/\(name).md"
                #expect(FileManager.default.fileExists(atPath: path), "\(file.name): \(name)")
            }
        }
    }
}
