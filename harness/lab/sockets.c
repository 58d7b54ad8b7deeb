/* sockets: the kernel's table names a listener's inode, /proc/PID/fd the inodes of a process;
   together they say whose a listener is. */
#include "lab/sockets.h"

#include "base/alloc.h"
#include "base/file.h"
#include "lab/procfs.h"
#include "lab/socket_diag.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Words of an address in network order, as the kernel stores them. */
static bool reaches_local(const uint32_t word[4], bool v6)
{
    if (!v6)
        return word[0] == htonl(INADDR_ANY) || word[0] == htonl(INADDR_LOOPBACK);
    if (word[0] || word[1])
        return false;
    bool any = !word[2] && !word[3];
    return any || (word[2] == htonl(0xffff) &&
                   (word[3] == htonl(INADDR_LOOPBACK) || word[3] == htonl(INADDR_ANY)));
}

/* In /proc/net/tcp each word is printed as a number in hex (tcp4_seq_show, tcp6_seq_show). */
static bool text_reaches_local(const char *address, bool v6)
{
    unsigned word[4] = {0};
    for (int i = 0; i < (v6 ? 4 : 1); i++)
        if (sscanf(address + i * 8, "%8x", &word[i]) != 1)
            return false;
    return reaches_local(word, v6);
}

void sockets_parse(struct listener **list, size_t *n, const char *text, bool v6)
{
    for (const char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        char address[33];
        unsigned port, state, uid;
        unsigned long long inode;
        /* sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode
         */
        if (sscanf(line + 1,
                   " %*d: %32[0-9A-F]:%x %*[0-9A-F]:%*x %x %*x:%*x %*x:%*x %*x %u %*d %llu",
                   address, &port, &state, &uid, &inode) != 5)
            continue;
        if (state != TCP_LISTEN || strlen(address) != (v6 ? 32 : 8))
            continue;
        struct listener *l = xgrow(list, n, sizeof **list);
        *l = (struct listener){
            .port = port, .local = text_reaches_local(address, v6), .inode = inode, .uid = uid};
    }
}

struct found {
    struct listener *list;
    size_t n;
};

static void note_listener(void *arg, const struct inet_diag_msg *m)
{
    struct found *f = arg;
    struct listener *l = xgrow(&f->list, &f->n, sizeof *l);
    *l = (struct listener){.port = ntohs(m->id.idiag_sport),
                           .local = reaches_local(m->id.idiag_src, m->idiag_family == AF_INET6),
                           .inode = m->idiag_inode,
                           .uid = m->idiag_uid};
}

static void read_tables(struct found *f)
{
    for (int v6 = 0; v6 < 2; v6++) {
        char *text = file_read(v6 ? "/proc/net/tcp6" : "/proc/net/tcp", NULL, NULL);
        if (text)
            sockets_parse(&f->list, &f->n, text, v6);
        free(text);
    }
}

/* By sock_diag, which can leave out the tens of thousands of sockets that are no listeners; by the
   tables where the kernel has no such module. */
struct listener *sockets_listeners(unsigned port, size_t *n)
{
    struct found f = {0};
    if (socket_diag_each(1u << TCP_LISTEN, note_listener, &f) < 0) {
        f.n = 0;
        free(f.list);
        f.list = NULL;
        read_tables(&f);
    }
    *n = 0;
    for (size_t i = 0; i < f.n; i++)
        if (f.list[i].local && (port == 0 || f.list[i].port == port))
            f.list[(*n)++] = f.list[i];
    return f.list;
}

/* Reading another user's /proc/PID/fd takes CAP_SYS_PTRACE, which root in a container lacks. The
   process's own user needs no capability: be that one for the file system, for this thread. */
static DIR *open_as_owner(const char *path, pid_t pid, bool *changed)
{
    char process[32];
    struct stat st;
    DIR *dir = opendir(path);
    snprintf(process, sizeof process, "/proc/%d", (int)pid);
    *changed = !dir && errno == EACCES && geteuid() == 0 && stat(process, &st) == 0;
    if (!*changed)
        return dir;
    setfsgid(st.st_gid);
    setfsuid(st.st_uid);
    return opendir(path);
}

static void be_root_again(void)
{
    setfsuid(0);
    setfsgid(getegid());
    prctl(PR_SET_DUMPABLE, 1); /* a change of fsuid clears it */
}

bool sockets_held_by(uint64_t inode, pid_t pid)
{
    char path[40], wanted[48], target[48];
    bool found = false, changed;
    struct dirent *entry;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    snprintf(wanted, sizeof wanted, "socket:[%llu]", (unsigned long long)inode);
    DIR *dir = open_as_owner(path, pid, &changed);
    while (dir && !found && (entry = readdir(dir))) {
        ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        found = strcmp(target, wanted) == 0;
    }
    if (dir)
        closedir(dir);
    if (changed)
        be_root_again();
    return found;
}

pid_t sockets_owner(uint64_t inode)
{
    size_t n;
    pid_t owner = 0;
    struct procfs_stat *all = procfs_all(&n);
    for (size_t i = 0; i < n && !owner; i++)
        if (sockets_held_by(inode, all[i].pid))
            owner = all[i].pid;
    free(all);
    return owner;
}

struct backlog {
    unsigned port;
    int least; /* -1 = none seen */
};

/* Of a listener idiag_wqueue is its backlog (the kernel's tcp_diag.c). */
static void note_backlog(void *arg, const struct inet_diag_msg *m)
{
    struct backlog *b = arg;
    int backlog = (int)m->idiag_wqueue;
    if (ntohs(m->id.idiag_sport) == b->port && (b->least < 0 || backlog < b->least))
        b->least = backlog;
}

int sockets_backlog(unsigned port)
{
    struct backlog b = {.port = port, .least = -1};
    socket_diag_each(1u << TCP_LISTEN, note_backlog, &b);
    return b.least;
}
