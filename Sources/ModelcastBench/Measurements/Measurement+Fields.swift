/// What the throughput does not contain, as its fields are made beforehand.
extension Measurement {
    func makeFields(_ publisher: Process) async throws {
        let count = 1_000_000
        guard case .made(let seconds) = try await publisher.ask(.makeFields(count: count), within: .seconds(60)) else {
            throw unexpected(publisher.name)
        }
        result.fieldsNanosecondsPerUpdate = seconds * 1e9 / Double(count)
    }
}
