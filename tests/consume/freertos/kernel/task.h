/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INC_TASK_H
#define INC_TASK_H

#include "FreeRTOS.h"

typedef StaticTask_t *TaskHandle_t;
TaskHandle_t xTaskCreateStatic(void (*code)(void *), const char *name, uint32_t stack_words,
                               void *parameters, UBaseType_t priority, StackType_t *stack,
                               StaticTask_t *memory);
void vTaskStartScheduler(void);
void vTaskDelay(TickType_t ticks);

#endif
