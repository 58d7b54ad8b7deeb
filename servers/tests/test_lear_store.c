/* store: bytes once for all workers, given back with the last of them, whoever dies and when. */
#include "lear/store.c" /* NOLINT(bugprone-suspicious-include): its statics */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <cmocka.h>

static struct store *fresh(uint64_t bytes)
{
    struct err err = {0};
    struct store *s = store_open(bytes, &err);
    if (!s)
        fail_msg("%s", err.text);
    store_enter(s, 0);
    return s;
}

static struct store_key key(uint64_t inode)
{
    return (struct store_key){.state = {.inode = inode, .size = 5000}};
}

/* Claims, fills with a letter, publishes. */
static struct place put(struct store *s, uint64_t inode, size_t n, char letter)
{
    struct place place = {0};
    struct store_key k = key(inode);
    assert_int_equal(store_claim(s, &k, n, &place), STORE_NEW);
    char *p = store_map(s, &place, true);
    assert_non_null(p);
    memset(p, letter, n);
    assert_int_equal(store_seal(p, n), 0);
    store_unmap(p, n);
    store_publish(s, &place, n);
    return place;
}

static bool holds(const struct store *s, const struct place *place, char letter)
{
    char *p = store_map(s, place, false);
    assert_non_null(p);
    bool all = true;
    for (size_t i = 0; i < place->n; i++)
        all = all && p[i] == letter;
    store_unmap(p, place->n);
    return all;
}

/* What the kernel really keeps. */
static uint64_t kept(const struct store *s)
{
    struct stat st;
    assert_int_equal(fstat(s->fd, &st), 0);
    return (uint64_t)st.st_blocks * 512;
}

static void found_again(void **state)
{
    (void)state;
    struct store *s = fresh(1 << 20);
    struct place a = put(s, 1, 5000, 'a'), b = {0};
    struct store_key same = key(1), packed = key(1), older = key(1);
    packed.gzip = true;
    older.state.changed_ns = 7;
    assert_int_equal(store_claim(s, &same, 5000, &b), STORE_READY);
    assert_int_equal(b.at, a.at);
    assert_int_equal(b.n, 5000);
    assert_true(holds(s, &b, 'a'));
    struct place c = {0}, d = {0};
    assert_int_equal(store_claim(s, &packed, 100, &c), STORE_NEW);
    assert_int_equal(store_claim(s, &older, 100, &d), STORE_NEW);
    assert_true(c.at != a.at && d.at != a.at && c.at != d.at);
    store_close(s);
}

/* Two names of one file in one worker: the first release must not take it from the second. */
static void two_names(void **state)
{
    (void)state;
    struct store *s = fresh(1 << 20);
    struct place a = put(s, 1, 5000, 'a'), b = {0};
    struct store_key k = key(1);
    assert_int_equal(store_claim(s, &k, 5000, &b), STORE_READY);
    store_release(s, &a);
    assert_true(holds(s, &b, 'a'));
    assert_int_equal(store_held(s), 8192);
    store_release(s, &b);
    assert_int_equal(store_held(s), 0);
    assert_int_equal(kept(s), 0);
    store_close(s);
}

/* Places are never given out twice. */
static void no_place_again(void **state)
{
    (void)state;
    struct store *s = fresh(1 << 20);
    off_t last = -1;
    for (uint64_t i = 1; i < 3 * SLOTS; i++) {
        struct place a = put(s, i, 100, 'a');
        assert_true(a.at > last);
        last = a.at;
        store_release(s, &a);
    }
    assert_int_equal(kept(s), 0);
    store_close(s);
}

static void full(void **state)
{
    (void)state;
    struct store *s = fresh(16384);
    struct place a = put(s, 1, 5000, 'a'), b = put(s, 2, 8192, 'b'), c = {0};
    struct store_key k = key(3);
    assert_int_equal(store_held(s), 16384);
    assert_int_equal(store_claim(s, &k, 1, &c), STORE_NONE);
    store_release(s, &a);
    assert_int_equal(store_claim(s, &k, 8193, &c), STORE_NONE);
    assert_int_equal(store_claim(s, &k, 8192, &c), STORE_NEW);
    store_release(s, &b);
    store_release(s, &c);
    assert_int_equal(store_held(s), 0);
    store_close(s);
    s = fresh(1 << 30); /* out of slots, not of bytes */
    for (uint64_t i = 0; i < SLOTS; i++) {
        k = key(i + 1);
        assert_int_equal(store_claim(s, &k, 1, &c), STORE_NEW);
    }
    k = key(SLOTS + 1);
    assert_int_equal(store_claim(s, &k, 1, &c), STORE_NONE);
    store_close(s);
}

static void publish_less(void **state)
{
    (void)state;
    struct store *s = fresh(1 << 20);
    struct place a = {0};
    struct store_key k = key(1);
    assert_int_equal(store_claim(s, &k, 100000, &a), STORE_NEW);
    char *p = store_map(s, &a, true);
    memset(p, 'a', 100000);
    store_publish(s, &a, 5000);
    store_unmap(p, 100000);
    assert_int_equal(store_held(s), 8192);
    assert_int_equal(kept(s), 8192);
    assert_true(holds(s, &a, 'a'));
    store_release(s, &a);
    assert_int_equal(store_claim(s, &k, 100000, &a), STORE_NEW);
    store_publish(s, &a, 0); /* "there is nothing to have" is worth knowing too */
    assert_int_equal(store_held(s), 0);
    assert_int_equal(store_claim(s, &k, 100000, &a), STORE_READY);
    assert_int_equal(a.n, 0);
    store_close(s);
}

/* Nobody can make the object shorter: SIGBUS is out of the question. Nor write through a map. */
static void sealed(void **state)
{
    (void)state;
    struct store *s = fresh(1 << 20);
    assert_int_equal(ftruncate(s->fd, 4096), -1);
    assert_int_equal(fcntl(s->fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
    store_close(s);
}

/* Runs fn in a child that is worker number worker, and expects it to end by signal (0: well). */
static void in_worker(struct store *s, unsigned worker, void (*fn)(struct store *s), int signal)
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        store_enter(s, worker);
        fn(s);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (signal)
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    else
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void find_and_die(struct store *s)
{
    struct place a = {0};
    struct store_key k = key(1);
    if (store_claim(s, &k, 5000, &a) != STORE_READY || !holds(s, &a, 'a'))
        _exit(1);
    put(s, 2, 5000, 'b');
    k = key(3);
    if (store_claim(s, &k, 5000, &a) != STORE_NEW || !store_map(s, &a, true))
        _exit(1); /* never published */
    raise(SIGKILL);
}

static void find_none(struct store *s)
{
    struct place a = {0};
    for (uint64_t i = 1; i <= 3; i++) {
        struct store_key k = key(i);
        if (store_claim(s, &k, 5000, &a) != (i == 1 ? STORE_READY : STORE_NEW))
            _exit(1);
        store_release(s, &a);
    }
}

/* What a dead worker held is given back by its successor; what others hold stays. */
static void dead_worker(void **state)
{
    (void)state;
    struct store *s = fresh(1 << 20);
    struct place a = put(s, 1, 5000, 'a');
    in_worker(s, 1, find_and_die, SIGKILL);
    assert_int_equal(store_held(s), 3 * 8192);
    store_release(s, &a);
    assert_int_equal(store_held(s), 3 * 8192); /* as far as anybody knows, worker 1 uses it */
    struct store_key k = key(3);
    assert_int_equal(store_claim(s, &k, 5000, &a), STORE_NONE);
    k = key(1);
    assert_int_equal(store_claim(s, &k, 5000, &a), STORE_READY);
    in_worker(s, 1, find_none, 0);
    assert_int_equal(store_held(s), 8192);
    assert_int_equal(kept(s), 8192);
    assert_true(holds(s, &a, 'a'));
    store_close(s);
}

/* Dies in the middle of table work: a slot filled in, its user not yet. */
static void die_in_lock(struct store *s)
{
    lock(s);
    struct store_key k = key(9);
    struct slot *slot = find(s->table, &k);
    *slot = (struct slot){.key = k, .at = s->table->next, .n = 5000};
    s->table->next += 8192;
    s->table->held += 8192;
    raise(SIGKILL);
}

static void dead_in_lock(void **state)
{
    (void)state;
    struct store *s = fresh(1 << 20);
    struct place a = put(s, 1, 5000, 'a'), b = {0};
    in_worker(s, 1, die_in_lock, SIGKILL);
    assert_int_equal(store_held(s), 8192);
    struct store_key k = key(9);
    assert_int_equal(store_claim(s, &k, 5000, &b), STORE_NEW);
    store_release(s, &a);
    store_release(s, &b);
    assert_int_equal(store_held(s), 0);
    assert_int_equal(kept(s), 0);
    store_close(s);
}

static void churn(struct store *s)
{
    unsigned seed = s->worker * 7919 + 1;
    struct place held[8];
    bool has[8] = {false};
    for (int i = 0; i < 3000; i++) {
        seed = seed * 1103515245 + 12345;
        unsigned slot = seed >> 16 & 7, inode = (seed >> 20 & 3) + 1;
        char letter = (char)('a' + inode);
        if (has[slot]) {
            store_release(s, &held[slot]);
            has[slot] = false;
            continue;
        }
        struct store_key k = key(inode);
        enum store_claim claim = store_claim(s, &k, 5000, &held[slot]);
        if (claim == STORE_NEW) {
            char *p = store_map(s, &held[slot], true);
            memset(p, letter, 5000);
            store_unmap(p, 5000);
            store_publish(s, &held[slot], 5000);
        }
        has[slot] = claim != STORE_NONE;
        if (has[slot] && !holds(s, &held[slot], letter))
            _exit(1);
    }
    for (int i = 0; i < 8; i++)
        if (has[i])
            store_release(s, &held[i]);
}

/* Four workers take and give back at once: nobody ever sees bytes that aren't his file's. */
static void at_once(void **state)
{
    (void)state;
    struct store *s = fresh(1 << 20);
    pid_t pids[4];
    for (unsigned i = 0; i < 4; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0) {
            store_enter(s, i + 1);
            churn(s);
            _exit(0);
        }
    }
    for (int i = 0; i < 4; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(store_held(s), 0);
    assert_int_equal(kept(s), 0);
    store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_again),    cmocka_unit_test(two_names),
        cmocka_unit_test(no_place_again), cmocka_unit_test(full),
        cmocka_unit_test(publish_less),   cmocka_unit_test(sealed),
        cmocka_unit_test(dead_worker),    cmocka_unit_test(dead_in_lock),
        cmocka_unit_test(at_once),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
