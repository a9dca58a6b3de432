// What of the shims needs headers of the system that Swift must not find in this module: it would take their types from
// here, where others cannot see them. This also proves that the header compiles alone.
#include "CLibZMQ.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static int clibzmq_local_address(const char *path, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) return -ENAMETOOLONG;
    strcpy(address->sun_path, path);
    return 0;
}

int clibzmq_file_look(const char *path, clibzmq_file *file) {
    struct stat status;
    if (lstat(path, &status) == -1) return -errno;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    return S_ISSOCK(status.st_mode) ? 1 : 0;
}

int clibzmq_local_listen(const char *path, int backlog, clibzmq_file *file) {
    struct sockaddr_un address;
    int result = clibzmq_local_address(path, &address);
    if (result < 0) return result;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor == -1) return -errno;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == -1) {
        result = -errno;
        (void)close(descriptor);
        return result;
    }
    result = listen(descriptor, backlog) == -1 ? -errno : clibzmq_file_look(path, file);
    if (result < 0) {
        (void)unlink(path);
        (void)close(descriptor);
        return result;
    }
    return descriptor;
}

int clibzmq_network_listen(const char *address, uint16_t port, int backlog) {
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } name;
    memset(&name, 0, sizeof name);
    socklen_t size;
    if (inet_pton(AF_INET, address, &name.four.sin_addr) == 1) {
        name.four.sin_family = AF_INET;
        name.four.sin_port = htons(port);
        size = sizeof name.four;
    } else if (inet_pton(AF_INET6, address, &name.six.sin6_addr) == 1) {
        name.six.sin6_family = AF_INET6;
        name.six.sin6_port = htons(port);
        size = sizeof name.six;
    } else {
        return -EINVAL;
    }
    int descriptor = socket(name.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor == -1) return -errno;
    // As libzmq does: a port is free at once after its process, and [::] is every address of both kinds.
    int on = 1, off = 0, result = setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (result == 0 && name.any.sa_family == AF_INET6)
        result = setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (result == 0) result = bind(descriptor, &name.any, size);
    if (result == 0) result = listen(descriptor, backlog);
    if (result == 0) return descriptor;
    result = -errno;
    (void)close(descriptor);
    return result;
}

int clibzmq_local_probe(const char *path) {
    struct sockaddr_un address;
    int result = clibzmq_local_address(path, &address);
    if (result < 0) return result;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor == -1) return -errno;
    result = connect(descriptor, (struct sockaddr *)&address, sizeof address) == -1 ? -errno : 0;
    (void)close(descriptor);
    return result;
}

int clibzmq_directory_lock(const char *path) {
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor == -1) return -errno;
    struct timespec pause = {.tv_sec = 0, .tv_nsec = 10000000};
    for (int attempt = 0; attempt < 100; attempt++) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
        (void)nanosleep(&pause, NULL);
    }
    (void)close(descriptor);
    return -EAGAIN;
}

uint64_t clibzmq_socket_number(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) == -1 || !S_ISSOCK(status.st_mode)) return 0;
    return status.st_ino;
}

// A descriptor of our own, which stays the same socket while it is used; negative where the given one is another now.
static int clibzmq_socket_own(int descriptor, uint64_t number) {
    int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (own == -1) return -errno;
    if (clibzmq_socket_number(own) == number) return own;
    (void)close(own);
    return -ENOTCONN;
}

int clibzmq_socket_cut(int descriptor, uint64_t number) {
    int own = clibzmq_socket_own(descriptor, number);
    if (own < 0) return own;
    int result = shutdown(own, SHUT_RDWR) == -1 ? -errno : 0;
    (void)close(own);
    return result;
}

int clibzmq_socket_bound(int descriptor, uint64_t number, int bytes) {
#ifdef TCP_NOTSENT_LOWAT
    int own = clibzmq_socket_own(descriptor, number);
    if (own < 0) return own;
    int result = setsockopt(own, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes) == -1 ? -errno : 0;
    (void)close(own);
    return result;
#else
    return -ENOTSUP;
#endif
}

uint64_t clibzmq_socket_taken(int descriptor, uint64_t number) {
#ifdef TCP_INFO
    int own = clibzmq_socket_own(descriptor, number);
    if (own < 0) return 0;
    // The part of the system's struct tcp_info up to tcpi_bytes_received, which the C library's leaves out.
    unsigned char info[136];
    uint64_t received = 0;
    socklen_t size = sizeof info;
    int unread = 0, result = getsockopt(own, IPPROTO_TCP, TCP_INFO, info, &size);
    if (result == 0) result = ioctl(own, FIONREAD, &unread);
    (void)close(own);
    if (result == -1 || size < sizeof info) return 0;
    memcpy(&received, info + sizeof info - sizeof received, sizeof received);
    return received > (uint64_t)unread ? received - (uint64_t)unread : 0;
#else
    return 0;
#endif
}
