// A port to threads: a critical section, in which interrupts are off, is a lock.
#ifndef PORTMACRO_H
#define PORTMACRO_H

#include <stdint.h>

typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef uint32_t TickType_t;
typedef unsigned long StackType_t;

#define portCHAR char
#define portFLOAT float
#define portDOUBLE double
#define portLONG long
#define portSHORT short
#define portSTACK_TYPE unsigned long
#define portBASE_TYPE long
#define portPOINTER_SIZE_TYPE uintptr_t
#define portMAX_DELAY ((TickType_t)0xffffffffUL)
#define portSTACK_GROWTH (-1)
#define portTICK_PERIOD_MS ((TickType_t)1)
#define portBYTE_ALIGNMENT 8

void enter_critical(void);
void exit_critical(void);

#define portYIELD()
#define portYIELD_FROM_ISR(woken) ((void)(woken))
#define portENTER_CRITICAL() enter_critical()
#define portEXIT_CRITICAL() exit_critical()
#define portDISABLE_INTERRUPTS()
#define portENABLE_INTERRUPTS()
#define portSET_INTERRUPT_MASK_FROM_ISR() 0
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(mask) ((void)(mask))
#define portTASK_FUNCTION_PROTO(function, argument) void function(void *argument)
#define portTASK_FUNCTION(function, argument) void function(void *argument)

#endif
