// A writer and a reader share a pipe that is almost full, under a sleeping lock or without; both get through, and the bytes
// come out as they went in.
//
//   unpick check -I $XV6/kernel driver.c $XV6/kernel/pipe.c $XV6/kernel/sleeplock.c
//
// with $XV6 a checkout of mit-pdos/xv6-riscv. Processes are threads; spinlocks, sleep and wakeup, which need the
// processor, are written anew with a mutex for each lock and one condition variable.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "types.h"
#include "param.h"
#include "riscv.h"
#include "spinlock.h"
#include "sleeplock.h"
#include "fs.h"
#include "file.h"
#include "proc.h"

#define FILL 511 // bytes in the pipe of 512 before the reader starts
#ifndef WRITES
#define WRITES 3
#endif

int pipealloc(struct file **, struct file **);
void pipeclose(struct pipe *, int);
int piperead(struct pipe *, uint64, int);
int pipewrite(struct pipe *, uint64, int);
void initsleeplock(struct sleeplock *, char *);
void acquiresleep(struct sleeplock *);
void releasesleep(struct sleeplock *);

static _Thread_local struct proc *current;
static struct proc processes[2];
static struct file files[2];
static int n_files;
static struct { struct spinlock *lock; pthread_mutex_t mutex; } mutexes[4];
static pthread_mutex_t wait_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;

static pthread_mutex_t *mutex_of(struct spinlock *lock)
{
    int i = 0;
    while (mutexes[i].lock != lock)
        i++;
    return &mutexes[i].mutex;
}

void initlock(struct spinlock *lock, char *name)
{
    int i = 0;
    while (mutexes[i].lock)
        i++;
    lock->name = name;
    mutexes[i].lock = lock;
    pthread_mutex_init(&mutexes[i].mutex, 0);
}

void acquire(struct spinlock *lock)
{
    pthread_mutex_lock(mutex_of(lock));
}

void release(struct spinlock *lock)
{
    pthread_mutex_unlock(mutex_of(lock));
}

// As in proc.c: the process is marked as sleeping before the lock is released.
void sleep(void *channel, struct spinlock *lock)
{
    pthread_mutex_lock(&wait_mutex);
    release(lock);
    current->chan = channel;
    current->state = SLEEPING;
    while (current->state == SLEEPING)
        pthread_cond_wait(&woken, &wait_mutex);
    current->chan = 0;
    pthread_mutex_unlock(&wait_mutex);
    acquire(lock);
}

void wakeup(void *channel)
{
    pthread_mutex_lock(&wait_mutex);
    for (int i = 0; i < 2; i++) {
        if (processes[i].state == SLEEPING && processes[i].chan == channel)
            processes[i].state = RUNNABLE;
    }
    pthread_cond_broadcast(&woken);
    pthread_mutex_unlock(&wait_mutex);
}

struct proc *myproc(void)
{
    return current;
}

int killed(struct proc *process)
{
    return process->killed;
}

struct file *filealloc(void)
{
    return &files[n_files++];
}

void fileclose(struct file *file)
{
    (void)file;
}

void *kalloc(void)
{
    return calloc(1, 1024);
}

void kfree(void *memory)
{
    free(memory);
}

int copyin(pagetable_t table, char *to, uint64 from, uint64 count)
{
    (void)table, (void)count;
    *to = *(char *)from;
    return 0;
}

int copyout(pagetable_t table, uint64 to, char *from, uint64 count)
{
    (void)table, (void)count;
    *(char *)to = *from;
    return 0;
}

static struct pipe *pipe_of_both;
static struct sleeplock lock;
static int inside;

static void use_lock(void)
{
    acquiresleep(&lock);
    assert(inside == 0);
    inside++;
    inside--;
    releasesleep(&lock);
}

static void *writer(void *unused)
{
    current = &processes[1];
    for (int i = 0; i < WRITES; i++) {
        char byte = (char)(i + 1);
        int count = pipewrite(pipe_of_both, (uint64)&byte, 1);
        assert(count == 1);
    }
    use_lock();
    pipeclose(pipe_of_both, 1);
    return unused;
}

int main(void)
{
    struct file *reading, *writing;
    pthread_t thread;
    char bytes[FILL], byte;
    int count, received = 0;

    current = &processes[0];
    processes[0].pid = 1;
    processes[1].pid = 2;
    initsleeplock(&lock, "lock");
    count = pipealloc(&reading, &writing);
    assert(count == 0);
    pipe_of_both = reading->pipe;
    for (int i = 0; i < FILL; i++)
        bytes[i] = 0;
    count = pipewrite(pipe_of_both, (uint64)bytes, FILL);
    assert(count == FILL);

    pthread_create(&thread, 0, writer, 0);
    count = piperead(pipe_of_both, (uint64)bytes, FILL);
    assert(count == FILL);
    use_lock();
    while (piperead(pipe_of_both, (uint64)&byte, 1) == 1) {
        received++;
        assert(byte == received);
    }
    assert(received == WRITES);
    pipeclose(pipe_of_both, 0);
    pthread_join(thread, 0);
    return 0;
}
