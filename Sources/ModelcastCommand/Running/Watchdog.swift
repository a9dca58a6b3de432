import Foundation
import Modelcast
import ServiceLifecycle

/// Tells systemd at least twice in each `WatchdogSec` that the thread of a service turns; systemd kills a process that
/// hangs, and starts it again.
struct Watchdog: Service {
    private let pulse: LoopPulse
    private let period: Duration

    /// - Returns: nil where systemd does not want to be told.
    init?(_ pulse: LoopPulse, environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0,
            environment["WATCHDOG_PID"].map({ $0 == "\(ProcessInfo.processInfo.processIdentifier)" }) ?? true
        else { return nil }
        self.pulse = pulse
        period = .microseconds(microseconds)
    }

    /// Whether the thread has turned lately. One that has not begun, or has ended, does not hang.
    static func turns(_ phase: LoopPulse.Phase, within period: Duration) -> Bool {
        !phase.hangs(for: period)
    }

    func run() async throws {
        // Ends with a `CancellationError` when the group shuts down, which is no failure.
        try? await cancelWhenGracefulShutdown {
            while true {
                if Watchdog.turns(pulse.phase, within: period) { SystemdNotifier.watchdog() }
                try await Task.sleep(for: period / 3)
            }
        }
    }
}
