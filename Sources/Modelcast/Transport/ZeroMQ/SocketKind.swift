import Foundation

/// The kinds of socket, as the system's calls take them.
package enum SocketKind {
    #if os(Linux)
        package static let stream = CInt(SOCK_STREAM.rawValue)
        package static let datagram = CInt(SOCK_DGRAM.rawValue)
    #else
        package static let stream = SOCK_STREAM
        package static let datagram = SOCK_DGRAM
    #endif
}
