// One task sends messages of different lengths into a message buffer, another one receives them, neither waits: what is
// received is what was sent, whole and in order. The receiver asks for the length of a message before it receives it.
//
//   unpick check --property assertion,memory,overflow,deadlock -I stubs -I $FREERTOS/include driver.c $FREERTOS/stream_buffer.c
//
// with $FREERTOS a checkout of FreeRTOS/FreeRTOS-Kernel. The tasks are threads that preempt each other anywhere except while the
// scheduler is suspended.
#include <assert.h>
#include <pthread.h>

#include "FreeRTOS.h"
#include "task.h"

#include "message_buffer.h"

#ifndef MESSAGES
#define MESSAGES 3
#endif
#ifndef RECEIVES
#define RECEIVES 3
#endif
#define SIZE 7 // not a multiple of any message: lengths and contents wrap around
#define LONGEST 3

static pthread_mutex_t scheduler = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t interrupts = PTHREAD_MUTEX_INITIALIZER;
static StaticMessageBuffer_t memory;
static uint8_t storage[SIZE];
static MessageBufferHandle_t buffer;
static int sent, received;

// What the message buffer asks of the rest of the kernel.
void enter_critical(void)
{
    pthread_mutex_lock(&interrupts);
}

void exit_critical(void)
{
    pthread_mutex_unlock(&interrupts);
}

void vTaskSuspendAll(void)
{
    pthread_mutex_lock(&scheduler);
}

BaseType_t xTaskResumeAll(void)
{
    pthread_mutex_unlock(&scheduler);
    return pdFALSE;
}

// Message n has 1 + n % LONGEST bytes, all of value n.
static size_t length_of(int message)
{
    return 1 + (size_t)(message % LONGEST);
}

static int receive(void)
{
    uint8_t bytes[LONGEST] = {0};
    size_t next = xMessageBufferNextLengthBytes(buffer);
    assert(next == 0 || next == length_of(received));
    size_t length = xMessageBufferReceive(buffer, bytes, sizeof bytes, 0);
    if (length == 0)
        return 0;
    assert(length == length_of(received));
    for (size_t i = 0; i < length; i++)
        assert(bytes[i] == received);
    received++;
    return 1;
}

static void *sender(void *unused)
{
    for (int i = 0; i < MESSAGES; i++) {
        uint8_t bytes[LONGEST] = {(uint8_t)sent, (uint8_t)sent, (uint8_t)sent};
        size_t length = xMessageBufferSend(buffer, bytes, length_of(sent), 0);
        assert(length == 0 || length == length_of(sent));
        if (length != 0)
            sent++;
    }
    return unused;
}

int main(void)
{
    pthread_t task;

    buffer = xMessageBufferCreateStatic(SIZE, storage, &memory);
    pthread_create(&task, 0, sender, 0);
    for (int i = 0; i < RECEIVES; i++)
        receive();
    pthread_join(task, 0);
    while (receive())
        ;
    assert(sent == received);
    assert(xMessageBufferIsEmpty(buffer));
    return 0;
}
