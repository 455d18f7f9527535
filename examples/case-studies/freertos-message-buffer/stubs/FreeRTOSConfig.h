// A configuration with as little as possible.
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include <assert.h>
#include <stdint.h>

#define configUSE_PREEMPTION 1
#define configUSE_IDLE_HOOK 0
#define configUSE_TICK_HOOK 0
#define configCPU_CLOCK_HZ 1000000
#define configTICK_RATE_HZ 1000
#ifdef NEW
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#else
#define configUSE_16_BIT_TICKS 0
#endif
#define configMAX_PRIORITIES 5
#define configMINIMAL_STACK_SIZE 128
#define configMAX_TASK_NAME_LEN 4
#define configTOTAL_HEAP_SIZE 1024
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 0
#define configUSE_TASK_NOTIFICATIONS 1
#define configMESSAGE_BUFFER_LENGTH_TYPE uint8_t
#define INCLUDE_vTaskSuspend 1
#define INCLUDE_xTaskGetCurrentTaskHandle 1
#ifdef SILENT
#define configASSERT(condition) ((void)(condition))
#else
#define configASSERT(condition) assert(condition)
#endif

#endif
