import CoreMetrics
import Foundation
import Logging
import ModelSync
import Modelcast
import ModelcastTesting
import TestSupport
import Testing

@testable import ModelcastConsole

/// What a scrape shows.
@Suite(.timeLimit(.minutes(5))) struct MetricsTests {
    private func text(_ metrics: PrometheusMetrics, _ form: MetricsText.Form = .prometheus) -> String {
        MetricsText.write(metrics.families, form)
    }

    @Test func `counters, gauges and histograms stand in both forms as these want them`() {
        let metrics = PrometheusMetrics()
        Counter(label: "orders_total", dimensions: [("shop", "a")], factory: metrics).increment(by: 3)
        Counter(label: "orders", dimensions: [("shop", "b")], factory: metrics).increment()
        Meter(label: "queue", factory: metrics).set(2.5)
        let timer = Timer(label: "wait", factory: metrics)
        timer.recordMilliseconds(3)
        timer.recordSeconds(400)
        let prometheus = text(metrics)
        #expect(
            prometheus.hasPrefix(
                """
                # HELP orders_total No description.
                # TYPE orders_total counter
                orders_total{shop="a"} 3
                orders_total{shop="b"} 1
                # HELP queue No description.
                # TYPE queue gauge
                queue 2.5
                # HELP wait No description.
                # TYPE wait histogram
                wait_bucket{le="0.0001"} 0

                """))
        for line in [
            #"wait_bucket{le="0.0025"} 0"#, #"wait_bucket{le="0.005"} 1"#, #"wait_bucket{le="300.0"} 1"#,
            #"wait_bucket{le="+Inf"} 2"#, "wait_sum 400.003", "wait_count 2",
        ] {
            #expect(prometheus.contains(line + "\n"), "\(line)")
        }
        let open = text(metrics, .openMetrics)
        #expect(open.contains("# TYPE orders counter\norders_total{shop=\"a\"} 3\n") && open.hasSuffix("# EOF\n"))
    }

    @Test func `names and labels of any text give a scrape that can be read`() {
        let metrics = PrometheusMetrics()
        Counter(label: "1 größe", dimensions: [("a-b:c", "x\"\\\ny")], factory: metrics).increment()
        #expect(text(metrics).contains(#"_1_gr__e_total{a_b_c="x\"\\\ny"} 1"# + "\n"))
    }

    @Test func `series without end are counted and left out, and so is a name of two kinds`() {
        let metrics = PrometheusMetrics(seriesCountMax: 100)
        for id in 0..<1_000 {
            Counter(label: "c", dimensions: [("id", "\(id)")], factory: metrics).increment()
        }
        Meter(label: "c", factory: metrics).set(1)
        let lines = text(metrics).split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("c_total{") } == 100)
        #expect(lines.contains("modelcast_metrics_left_out 901"))
        #expect(!lines.contains("c 1"))
    }

    @Test func `a counter that is made twice is one, and one that is destroyed is gone`() {
        let metrics = PrometheusMetrics()
        let counters = (0..<2).map { _ in Counter(label: "c", dimensions: [("a", "1"), ("b", "2")], factory: metrics) }
        counters[0].increment(by: 2)
        counters[1].increment(by: 3)
        #expect(text(metrics).contains(#"c_total{a="1",b="2"} 5"#))
        counters[0].destroy()
        #expect(!text(metrics).contains("c_total"))
    }

    @Test func `a reader that accepts OpenMetrics gets it`() {
        for accept in [nil, "*/*", "text/plain", "application/openmetrics-text;q=0, */*"] {
            #expect(MetricsText.Form(accept: accept) == .prometheus)
        }
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1"
        #expect(MetricsText.Form(accept: prometheus) == .openMetrics)
    }

    @Test func `a scrape shows each service, its copy, its senders and the process`() async throws {
        try await withPair { publisher, subscriber, network in
            try publisher.merge("User", "1", ["age": 1])
            try await network.settle()
            try await withConsole(of: [.publisher(publisher), .subscriber(subscriber)]) { client in
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                let answer = try await client.get("/metrics")
                #expect(
                    answer.status == 200
                        && answer.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") ?? false)
                let lines = Set(answer.body.split(separator: "\n").map(String.init))
                for line in [
                    "modelcast_live 1", "modelcast_ready 1",
                    #"modelcast_models{name="publisher",service="publisher",type="User"} 1"#,
                    #"modelcast_models{name="subscriber",service="subscriber",type="User"} 1"#,
                    #"modelcast_senders{name="subscriber",service="subscriber",state="live"} 1"#,
                    #"modelcast_streams{name="subscriber",service="subscriber",state="stale"} 0"#,
                    #"modelcast_sender_outage_seconds{name="subscriber",service="subscriber",sender="1"} 0"#,
                    #"modelcast_peers{name="publisher",service="publisher"} 1"#,
                ] {
                    #expect(lines.contains(line), "\(line)")
                }
                for name in ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds"] {
                    #expect(lines.contains { $0.hasPrefix(name + " ") && !$0.hasSuffix(" 0") }, "\(name)")
                }
                let open = try await client.get("/metrics", "Accept: application/openmetrics-text; version=1.0.0")
                #expect(open.headers["content-type"]?.hasPrefix("application/openmetrics-text") ?? false)
                #expect(open.body.hasSuffix("# EOF\n"))
            }
        }
    }

    @Test func `how late changes came, how many at once, and how long repairs took is told`() async throws {
        try await withPair { publisher, subscriber, network in
            try publisher.merge("User", "1", ["age": 1])
            try await network.settle()
            try await withConsole(of: [.subscriber(subscriber)]) { client in
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                func figure(_ name: String) async throws -> Double {
                    let start = "\(name){name=\"subscriber\",service=\"subscriber\"} "
                    let lines = try await client.get("/metrics").body.split(separator: "\n")
                    return lines.lazy.compactMap { $0.hasPrefix(start) ? Double($0.dropFirst(start.count)) : nil }.first
                        ?? -1
                }
                let commits = try await figure("modelcast_commit_changes_count")
                let changes = try await figure("modelcast_commit_changes_sum")
                let lags = try await figure("modelcast_lag_seconds_count")
                for round in 1...3 {
                    try publisher.transaction { writes in
                        for id in 0..<4 { try writes.merge("User", "\(id)", ["age": .int(Int64(10 * round + id))]) }
                    }
                    try await network.settle()
                }
                #expect(try await figure("modelcast_commit_changes_count") == commits + 3)
                #expect(try await figure("modelcast_commit_changes_sum") == changes + 12)
                #expect(try await figure("modelcast_lag_seconds_count") == lags + 3)
                #expect(try await figure("modelcast_repair_seconds_count") == 0)
                try network.lose(1, from: "publisher", to: "subscriber")
                for n in 0..<2 {
                    try publisher.merge("User", "1", ["age": .int(Int64(10 + n))])
                    for _ in 0..<3 { try await network.advance(by: .seconds(1)) }
                }
                #expect(try await figure("modelcast_repair_seconds_count") == 1)
                #expect(try await figure("modelcast_repair_seconds_sum") > 0)
            }
        }
    }

    @Test func `of 200 types each has a series, and the others have one together`() async throws {
        let metrics = PrometheusMetrics()
        Counter(label: "orders", factory: metrics).increment(by: 7)
        try await withNetwork { network in
            let publisher = try await network.publisher()
            for type in 0..<205 { try publisher.merge("Type\(1000 + type)", "1", ["age": 1]) }
            let body = try await withConsole(of: [.publisher(publisher)], metrics: metrics) { client in
                try await client.get("/metrics").body
            }
            let lines = body.split(separator: "\n").map(String.init)
            let models = lines.filter { $0.hasPrefix("modelcast_models{") }
            #expect(models.count == 201 && models.last?.hasSuffix(#"type="(others)"} 5"#) ?? false, "\(models)")
            // What the program counts is there, too.
            #expect(lines.contains("orders_total 7"))
        }
    }

    @Test func `every figure that the dashboard and the alerts ask for is one that there is`() async throws {
        try await withPair { publisher, subscriber, _ in
            let console = Console(
                try ConsoleConfiguration("127.0.0.1:0"), of: [.publisher(publisher), .subscriber(subscriber)],
                gateway: ModelGateway(of: .subscriber(subscriber)),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            var known = Set(console.families().map { $0.kind == .counter ? "\($0.name)_total" : $0.name })
            for service in ["publisher", "subscriber", "relay", "relay_replica"] {
                known.formUnion(Counters.Name.allCases.map { "modelcast_\(service)_\($0.label)_total" })
            }
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Deploy")
            for path in ["grafana/modelcast.json", "prometheus/modelcast.rules.yml"] {
                let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
                let used = Set(text.matches(of: /\b(?:modelcast|process)_[a-z_]+/).map { String($0.output) })
                #expect(used.count > 8 && used.subtracting(known) == [], "\(path)")
            }
            let dashboard = try Data(contentsOf: root.appendingPathComponent("grafana/modelcast.json"))
            let panels = try #require(
                (JSONSerialization.jsonObject(with: dashboard) as? [String: Any])?["panels"] as? [[String: Any]])
            #expect(panels.count > 10 && Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
        }
    }
}
