/* SPDX-License-Identifier: Apache-2.0 */
/* A tick is a millisecond. Tasks run at once, which is harder on a lock than one processor is. */
#include "semphr.h"
#include "task.h"

#include <stdlib.h>
#include <time.h>

static StaticTask_t *tasks[4];
static unsigned count;

BaseType_t xPortIsInsideInterrupt(void) { return pdFALSE; }

SemaphoreHandle_t xSemaphoreCreateRecursiveMutexStatic(StaticSemaphore_t *memory) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&memory->mutex, &kind);
    return memory;
}

BaseType_t xSemaphoreTakeRecursive(SemaphoreHandle_t mutex, TickType_t ticks) {
    if (mutex == NULL) {
        abort(); /* configASSERT */
    }
    const int answer = ticks == portMAX_DELAY ? pthread_mutex_lock(&mutex->mutex)
                                              : pthread_mutex_trylock(&mutex->mutex);
    return answer == 0 ? pdTRUE : pdFALSE;
}

BaseType_t xSemaphoreGiveRecursive(SemaphoreHandle_t mutex) {
    return pthread_mutex_unlock(&mutex->mutex) == 0 ? pdTRUE : pdFALSE;
}

TaskHandle_t xTaskCreateStatic(void (*code)(void *), const char *name, uint32_t stack_words,
                               void *parameters, UBaseType_t priority, StackType_t *stack,
                               StaticTask_t *memory) {
    (void)name, (void)priority;
    if (stack == NULL || stack_words == 0 || count == sizeof tasks / sizeof *tasks) {
        abort();
    }
    memory->code = code;
    memory->parameters = parameters;
    return tasks[count++] = memory;
}

static void *begin(void *task) {
    StaticTask_t *const t = (StaticTask_t *)task;
    t->code(t->parameters);
    abort(); /* a task never returns */
}

void vTaskStartScheduler(void) {
    for (unsigned i = 0; i < count; ++i) {
        pthread_create(&tasks[i]->thread, NULL, begin, tasks[i]);
    }
    for (unsigned i = 0; i < count; ++i) {
        pthread_join(tasks[i]->thread, NULL);
    }
}

void vTaskDelay(TickType_t ticks) {
    const struct timespec pause = {ticks / 1000, (long)(ticks % 1000) * 1000000};
    nanosleep(&pause, NULL);
}
