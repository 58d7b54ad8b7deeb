/* account: looks up users and becomes one. Whether a user may run something is not computed from
   mode bits (ACLs, mount flags and capabilities would be missed) but asked from the kernel. */
#include "lab/account.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

uid_t account_unprivileged(void)
{
    const struct passwd *nobody = geteuid() == 0 ? getpwnam("nobody") : NULL;
    return nobody ? nobody->pw_uid : 0;
}

gid_t account_group(uid_t uid)
{
    const struct passwd *entry = getpwuid(uid);
    return entry ? entry->pw_gid : (gid_t)uid;
}

void account_name(uid_t uid, char *to, size_t size)
{
    const struct passwd *entry = getpwuid(uid);
    if (entry)
        snprintf(to, size, "%s", entry->pw_name);
    else
        snprintf(to, size, "%u", (unsigned)uid);
}

int account_become(uid_t uid, gid_t gid)
{
    if (setgroups(1, &gid) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
        return -1;
    return 0;
}

static bool can_access(uid_t uid, const char *path, int mode)
{
    if (uid == 0 || geteuid() != 0)
        return access(path, mode) == 0;
    gid_t gid = account_group(uid);
    pid_t pid = fork();
    if (pid == 0)
        _exit(account_become(uid, gid) == 0 && access(path, mode) == 0 ? 0 : 1);
    int status = -1;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 && status == 0;
}

bool account_can_run(uid_t uid, const char *path)
{
    return can_access(uid, path, X_OK);
}

bool account_can_read(uid_t uid, const char *path)
{
    return can_access(uid, path, R_OK);
}
