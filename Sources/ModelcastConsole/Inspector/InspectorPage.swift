import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// The page that shows a process to people: one document, which asks for nothing but what this process answers.
enum InspectorPage {
    /// Names of HTTP, which are tokens of it.
    private static let policy = HTTPField.Name("Content-Security-Policy")!
    private static let referrer = HTTPField.Name("Referrer-Policy")!

    /// The page. Its script and style run because they carry a number that nobody could know before: what a model
    /// brings into the page, should a mistake ever let it, does not.
    static func response() -> Response {
        let nonce = (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }.joined()
        let text = parts.joined(separator: nonce)
        let sources = "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; connect-src 'self'"
        let policy = sources + "; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", self.policy: policy,
                referrer: "no-referrer",
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// The scripts, in the order in which they build on each other.
    private static let scripts = [
        coreScript,
        netScript,
        partsScript,
        rowsScript,
        shellScript,
        overviewScript,
        topologyScript,
        modelsScript,
        modelTableScript,
        oneModelScript,
        historyScript,
        changesScript,
        compareScript,
        startScript,
    ]

    /// All scripts in one scope, which adds no name to those of the browser.
    private static var script: String { "(() => {\n'use strict';\n\(scripts.joined(separator: "\n"))\n})();" }

    /// The page, apart where the number comes.
    private static let parts: [String] = {
        let filled = markup.replacing("STYLE", with: style, maxReplacements: 1)
            .replacing("SCRIPT", with: script, maxReplacements: 1)
        return filled.split(separator: "NONCE", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    }()
}
