/// Why nobody greets at a control endpoint.
package struct EndpointFault: Sendable {
    /// The reason in words for a person, with what to do.
    package let reason: String
    /// The network is there, and the process is not, or hangs: the host refuses the connection, or nobody greets on it.
    var isAbsence = false
}
