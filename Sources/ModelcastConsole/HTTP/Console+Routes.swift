import HTTPTypes
import Hummingbird
import HummingbirdCore
import ModelGrants
import Modelcast
import NIOCore

extension Console {
    func router() -> Router<ConsoleContext> {
        let router = Router(context: ConsoleContext.self, options: .autoGenerateHeadEndpoints)
        router.addMiddleware { HostGuard(configuration, isWritable: gateway?.configuration.writer != nil) }
        router.get("livez") { request, _ in Console.answer(self.livenessChecks(), to: request) }
        for path in ["readyz", "healthz"] {
            router.get(RouterPath(path)) { request, _ in Console.answer(self.readinessChecks(), to: request) }
        }
        router.get("metrics") { request, _ in
            let form = MetricsText.Form(accept: request.headers[.accept])
            return Console.text(MetricsText.write(self.families(), form), contentType: form.contentType)
        }
        if let gateway {
            router.get("v1/status") { request, _ in self.status(for: request, tokens: gateway.configuration.tokens) }
            let requests = ModelRequests(gateway: gateway) { self.readinessChecks().allSatisfy { $0.problem == nil } }
            requests.addRoutes(to: router)
            InspectorRequests(requests).addRoutes(to: router)
            if let writer = gateway.configuration.writer {
                WriteRequests(requests: requests, writer: writer).addRoutes(to: router)
            }
        }
        return router
    }

    /// The answer to a question for health: what fails, or with `?verbose` each check.
    private static func answer(_ checks: [HealthCheck], to request: Request) -> Response {
        let isHealthy = checks.allSatisfy { $0.problem == nil }
        let isVerbose = request.uri.queryParameters["verbose"] != nil
        var lines = (isVerbose ? checks : checks.filter { $0.problem != nil }).map(\.line)
        lines.append(isHealthy ? "ok" : "not ok")
        return text(
            lines.joined(separator: "\n") + "\n", contentType: "text/plain; charset=utf-8",
            status: isHealthy ? .ok : .serviceUnavailable)
    }

    /// The state of the process. It tells who is there and from where, so where there are tokens it is for operators.
    private func status(for request: Request, tokens: Access?) -> Response {
        do throws(Problem) {
            guard try Asker(request, tokens: tokens).mayOperate else {
                throw Problem(
                    .forbidden, "the state of the process is for operators: use a token with the right operate")
            }
            _ = try RequestQuery(request.uri.query, names: [])
        } catch {
            return error.response
        }
        let looks = refresh()
        return ModelRequests.json(StatusDocument.text(readinessChecks(looks), looks.map { ($0, queues(of: $0)) }))
    }

    private static func text(_ text: String, contentType: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
