import Modelcast

/// A service as it is at one moment, with what was seen of it before.
struct ConsoleLook {
    let subject: ConsoleSubject
    let state: ConsoleSubject.State
    let watch: HealthWatch
    /// How late its last commit came; nil where none has come while it was live.
    let lag: Duration?
    /// The time on the clock of the service.
    let now: Duration
}
