/* browser/chromium.c - from fork() to exec(), and the end. */
#include "chromium.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "net/dial.h"

enum {
    INSIDE_ID = 1000, /* user and group inside */
    PROXY_PORT = 1080,
    BACKLOG = 64,
    COMMANDS_FD = 3, /* --remote-debugging-pipe reads 3 and writes 4 */
    EVENTS_FD = 4,
    PRIORITY = 10, /* nice(2): measurements of a page must not delay other processes */
    FOLDERS_OPEN = 16,
    READY_MS = 10000,
};

#define PROXY_TEXT "socks5://127.0.0.1:1080"

/* HttpsUpgrades: it would visit https instead of the http that was asked for. */
#define UNWANTED "AutofillServerCommunication,HttpsUpgrades,MediaRouter,OptimizationHints,Translate"

/* In this order on the command line, between the program and the profile. */
static const char *const flags[] = {
    "--headless",
    "--remote-debugging-pipe",
    /* connections */
    "--proxy-server=" PROXY_TEXT,
    "--proxy-bypass-list=<-loopback>", /* also those to local addresses */
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    /* no services of its maker */
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--disable-features=" UNWANTED,
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--disable-breakpad",
    "--password-store=basic",
    /* pages */
    "--block-new-web-contents", /* no pop-ups */
    "--deny-permission-prompts",
    "--mute-audio",
    "--hide-scrollbars",
    "--lang=en",
    "--window-size=1366,768",
    /* memory */
    "--disable-gpu",
    "--disable-dev-shm-usage", /* containers have 64 MB of it */
    "--js-flags=--max-old-space-size=256",
    "--disk-cache-size=33554432",
    "--renderer-process-limit=4",
};

/* ---- between fork() and exec(): system calls only ---- */

/* What the child needs, made before the fork. */
struct launch {
    const char *program;
    char *const *argv;
    char *const *envp;
    char uid_map[64], gid_map[64];
    int commands, events; /* the child's ends */
    int channel;          /* a socket to the parent */
};

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    dial_close(&fd);
    return ok;
}

static bool enter_namespaces(const struct launch *launch)
{
    return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 &&
           write_file("/proc/self/setgroups", "deny") &&
           write_file("/proc/self/uid_map", launch->uid_map) &&
           write_file("/proc/self/gid_map", launch->gid_map);
}

/* What Chromium prints has texts of pages, which must not be in a log. */
static bool silence(void)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    return nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0 &&
           dup2(nothing, STDERR_FILENO) >= 0;
}

/* The listening socket at PROXY_PORT of the new network's loopback device; -1: failed. */
static int listen_inside(void)
{
    struct ifreq loopback = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
    struct sockaddr_in place = { .sin_family = AF_INET,
                                 .sin_port = htons(PROXY_PORT),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &loopback) == 0 &&
        bind(fd, (const struct sockaddr *)&place, sizeof(place)) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    dial_close(&fd);
    return -1;
}

/* One byte, and the descriptor unless it is -1 (unix(7), SCM_RIGHTS). */
union rights {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
};

static bool send_fd(int channel, char byte, int fd)
{
    union rights rights = { 0 };
    struct iovec iovec = { &byte, 1 };
    struct msghdr message = { .msg_iov = &iovec, .msg_iovlen = 1 };
    if (fd >= 0) {
        message.msg_control = rights.bytes;
        message.msg_controllen = sizeof(rights.bytes);
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(head), &fd, sizeof(fd));
    }
    return sendmsg(channel, &message, MSG_NOSIGNAL) == 1;
}

/* The steps of the child, told to the parent as a byte when one fails. */
static const char *const steps[] = {
    "started",
    "cannot make user and network namespaces; unprivileged ones must be allowed",
    "cannot listen in the new network",
    "cannot be executed",
};

__attribute__((noreturn)) static void run_child(const struct launch *launch)
{
    sigset_t none;
    int listener = -1;
    char failed = 1;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    setpriority(PRIO_PROCESS, 0, PRIORITY);
    if (enter_namespaces(launch)) {
        failed = 2;
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* new capabilities clear it */
        listener = listen_inside();
    }
    if (listener >= 0 && send_fd(launch->channel, 0, listener)) {
        failed = 3;
        /* neither is 3 or 4: those are taken while both exist */
        int commands = fcntl(launch->commands, F_DUPFD, 10);
        int events = fcntl(launch->events, F_DUPFD, 10);
        if (silence() && dup2(commands, COMMANDS_FD) >= 0 && dup2(events, EVENTS_FD) >= 0) {
            close(commands);
            close(events);
            execve(launch->program, launch->argv, launch->envp);
        }
    }
    send_fd(launch->channel, failed, -1);
    _exit(127);
}

/* ---- the parent ---- */

/* The child's listening socket, or which step has failed. */
static bool receive_listener(int channel, int *listener, struct err *err)
{
    union rights rights = { 0 };
    char byte = 1;
    struct iovec iovec = { &byte, 1 };
    struct msghdr message = { .msg_iov = &iovec,
                              .msg_iovlen = 1,
                              .msg_control = rights.bytes,
                              .msg_controllen = sizeof(rights.bytes) };
    struct pollfd wanted = { channel, POLLIN, 0 };
    if (poll(&wanted, 1, READY_MS) != 1 || recvmsg(channel, &message, MSG_CMSG_CLOEXEC) != 1)
        return err_set(err, ERR_INTERNAL, "Chromium did not start in time");
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (byte != 0 || !head || head->cmsg_type != SCM_RIGHTS)
        return err_set(err, ERR_INTERNAL, "Chromium: %s",
                       steps[MIN((size_t)byte, countof(steps) - 1)]);
    memcpy(listener, CMSG_DATA(head), sizeof(*listener));
    return true;
}

/* After the listener: nothing more comes if exec() succeeds, because the channel closes then. */
static bool check_exec(int channel, struct err *err)
{
    char byte;
    struct pollfd wanted = { channel, POLLIN, 0 };
    if (poll(&wanted, 1, READY_MS) == 1 && recv(channel, &byte, 1, 0) == 0)
        return true;
    return err_set(err, ERR_INTERNAL, "Chromium: %s", steps[countof(steps) - 1]);
}

static void make_maps(struct launch *launch)
{
    snprintf(launch->uid_map, sizeof(launch->uid_map), "%d %u 1", INSIDE_ID, geteuid());
    snprintf(launch->gid_map, sizeof(launch->gid_map), "%d %u 1", INSIDE_ID, getegid());
}

static bool make_profile(char **profile, struct err *err)
{
    const char *folder = getenv("TMPDIR");
    scoped(mem_free) char *path =
        str_format("%s/tollgate-browser-XXXXXX", folder ? folder : "/tmp");
    if (!mkdtemp(path))
        return err_set(err, ERR_INTERNAL, "no folder for a profile can be made: %s",
                       strerrorname_np(errno));
    *profile = take(path);
    return true;
}

static bool make_pipes(int commands[2], int events[2], int channel[2])
{
    return pipe2(commands, O_CLOEXEC) == 0 && pipe2(events, O_CLOEXEC) == 0 &&
           socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) == 0 &&
           fcntl(commands[1], F_SETFL, O_NONBLOCK) == 0 &&
           fcntl(events[0], F_SETFL, O_NONBLOCK) == 0;
}

static bool launch_child(struct launch *launch, int child_channel, int channel,
                         struct chromium *chromium, struct err *err)
{
    launch->channel = child_channel;
    make_maps(launch);
    chromium->pid = fork();
    if (chromium->pid == 0)
        run_child(launch);
    /* only the child must hold its end, so that it closes at exec() */
    close(child_channel);
    if (chromium->pid < 0) {
        chromium->pid = 0;
        return err_set(err, ERR_INTERNAL, "no process for Chromium");
    }
    return receive_listener(channel, &chromium->listener, err) && check_exec(channel, err);
}

static bool start_in(const char *program, struct chromium *chromium, struct err *err)
{
    scoped(mem_free) char *profile_flag = str_format("--user-data-dir=%s", chromium->profile);
    scoped(mem_free) char *home = str_format("HOME=%s", chromium->profile);
    scoped(mem_free) char *temporary = str_format("TMPDIR=%s", chromium->profile);
    const char *environment[] = { home, temporary, "PATH=/usr/bin:/bin", "LANG=C.UTF-8", NULL };
    const char *argv[countof(flags) + 4] = { program };
    int commands[2] = { -1, -1 }, events[2] = { -1, -1 }, channel[2] = { -1, -1 };
    size_t count = 1;

    for (size_t i = 0; i < countof(flags); i++)
        argv[count++] = flags[i];
    argv[count++] = profile_flag;
    argv[count] = "about:blank";
    bool ok = make_pipes(commands, events, channel);
    if (ok) {
        /* execve() does not change what these point to (POSIX, exec: rationale) */
        struct launch launch = { .program = program,
                                 .argv = (char *const *)(uintptr_t)argv,
                                 .envp = (char *const *)(uintptr_t)environment,
                                 .commands = commands[0],
                                 .events = events[1] };
        ok = launch_child(&launch, channel[1], channel[0], chromium, err);
        channel[1] = -1;
    } else {
        err_set(err, ERR_INTERNAL, "no pipes for Chromium");
    }
    chromium->to = commands[1];
    chromium->from = events[0];
    dial_close(&commands[0]);
    dial_close(&events[1]);
    dial_close(&channel[0]);
    dial_close(&channel[1]);
    return ok;
}

bool chromium_start(const char *program, struct chromium *chromium, struct err *err)
{
    *chromium = (struct chromium){ .to = -1, .from = -1, .listener = -1 };
    if (make_profile(&chromium->profile, err) && start_in(program, chromium, err))
        return true;
    chromium_end(chromium);
    return false;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    remove(path);
    return 0;
}

void chromium_end(struct chromium *chromium)
{
    if (chromium->pid > 0) {
        kill(-chromium->pid, SIGKILL);
        kill(chromium->pid, SIGKILL); /* before it became a group */
        while (waitpid(chromium->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        chromium->pid = 0;
        dial_close(&chromium->to);
        dial_close(&chromium->from);
        dial_close(&chromium->listener);
    }
    if (chromium->profile)
        nftw(chromium->profile, remove_entry, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    mem_free(&chromium->profile);
}
