import Foundation

/// A report as one page of HTML that needs nothing else: no script, no font, no other file.
///
/// The page is well-formed XML, too. The values that show under the pointer are `title` elements of SVG.
public struct BenchPage: Sendable {
    /// The text of the page.
    public let html: String

    /// The page of a report.
    public init(_ report: BenchReport) {
        html =
            ([
                "<!DOCTYPE html>", #"<html lang="en" xmlns="http://www.w3.org/1999/xhtml">"#, "<head>",
                #"<meta charset="utf-8"/>"#, #"<meta name="viewport" content="width=device-width, initial-scale=1"/>"#,
                #"<meta name="color-scheme" content="light dark"/>"#,
                "<title>Modelcast bench, commit \(report.commit.escapedForHTML)</title>",
                "<style>", BenchPage.style, "</style>", "</head>", "<body>", "<main>",
            ] + BenchPage.head(report) + BenchPage.body(report) + ["</main>", "</body>", "</html>", ""])
            .joined(separator: "\n")
    }

    private static func head(_ report: BenchReport) -> [String] {
        let machine = report.machine
        let isEqual = report.differences.isEmpty
        var facts = [
            ("Machine", "\(machine.processor), \(machine.cores) cores"), ("Kernel", "Linux \(machine.kernel)"),
            ("Versions", "Swift \(machine.swift), libzmq \(machine.libzmq)"), ("Commit", report.commit),
            ("Date", "\(report.start.formatted(.iso8601)), \(Figures.grouped(report.seconds)) s"),
            ("Command", report.command),
        ]
        if !machine.isOptimized { facts.insert(("Build", "DEBUG: these figures mean nothing"), at: 0) }
        var lines = [
            "<header>", "<h1>Modelcast bench</h1>",
            #"<p class="verdict \#(isEqual ? "good" : "bad")">\#(report.verdict.escapedForHTML)</p>"#, "<dl>",
        ]
        for (name, value) in facts {
            let text = value.escapedForHTML
            lines.append("<div><dt>\(name)</dt><dd>\(name == "Command" ? "<code>\(text)</code>" : text)</dd></div>")
        }
        lines += ["</dl>", "<details>", "<summary>Configuration</summary>", #"<dl class="settings">"#]
        for setting in report.plan.settings {
            lines.append(
                "<div><dt>\(setting.name.escapedForHTML)</dt><dd>\(setting.value.escapedForHTML)</dd></div>")
        }
        return lines + ["</dl>", "</details>", "</header>"]
    }

    private static func body(_ report: BenchReport) -> [String] {
        guard report.differences.isEmpty else { return [] }
        var lines = marks(report) + charts(report.parts)
        lines += ["<section>", "<h2>Figures</h2>"] + table(report.parts)
        let notes = report.parts.flatMap(\.notes) + ["Compare figures of one run only, and above all the ratios."]
        return lines + notes.map { #"<p class="note">\#($0.escapedForHTML)</p>"# } + ["</section>"]
    }
}
