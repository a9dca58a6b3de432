/// The costs of models as Swift types, in one process. All but the last two are nanoseconds of one call.
struct TypedModelCosts {
    /// Decoding a record by the code of `@Model`, by a handwritten initialiser, and its JSON by `JSONDecoder`.
    var decodeNanoseconds = 0.0
    var byHandNanoseconds = 0.0
    var jsonNanoseconds = 0.0
    /// Reading the record of a random model.
    var pointReadNanoseconds = 0.0
    /// Reading a random model whose view is kept on its record.
    var warmReadNanoseconds = 0.0
    /// Reading such a model in place: one property, and all properties.
    var lentReadNanoseconds = 0.0
    var lentWholeNanoseconds = 0.0
    /// Reading a model that has no view yet.
    var coldReadNanoseconds = 0.0
    /// Making a copy with one property changed.
    var withNanoseconds = 0.0
    /// Comparing two models that differ in one property.
    var diffNanoseconds = 0.0
    /// Typed reads by eight queues while one thread commits, and the updates that it commits meanwhile.
    var concurrentReadsPerSecond = 0.0
    var concurrentUpdatesPerSecond = 0.0

    var figures: [BenchFigure] {
        [
            BenchFigure(
                "typed read, warm", warmReadNanoseconds, .nanoseconds, against: "point read", pointReadNanoseconds,
                mark: .atMost(1.5)),
            BenchFigure(
                "typed read in place, one property", lentReadNanoseconds, .nanoseconds, against: "point read",
                pointReadNanoseconds),
            BenchFigure(
                "typed read in place, all properties", lentWholeNanoseconds, .nanoseconds, against: "point read",
                pointReadNanoseconds),
            BenchFigure(
                "typed read, cold", coldReadNanoseconds, .nanoseconds, against: "point read", pointReadNanoseconds),
            BenchFigure(
                "decoding a model, beside by hand", decodeNanoseconds, .nanoseconds, against: "by hand",
                byHandNanoseconds),
            BenchFigure(
                "decoding a model, beside JSON", decodeNanoseconds, .nanoseconds, against: "JSONDecoder",
                jsonNanoseconds),
            BenchFigure("with one property changed", withNanoseconds, .nanoseconds),
            BenchFigure("diff of one property", diffNanoseconds, .nanoseconds),
            BenchFigure("typed reads, 8 queues, writer running", concurrentReadsPerSecond, .perSecond),
            BenchFigure("updates committed meanwhile", concurrentUpdatesPerSecond, .perSecond),
        ]
    }
}
