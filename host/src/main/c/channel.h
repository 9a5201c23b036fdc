/* The channel between the triggers and the host. */
#ifndef MAYFLY_CHANNEL_H
#define MAYFLY_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "wire.h"

int channel_open(const char *path);
int channel_open_apart(void);
void channel_close_files(void);
void *channel_run(void *unused);
void channel_send(int client, uint64_t serial, enum message_type type, const struct bytes *parts, int count);
void channel_result(int client, uint64_t serial, uint32_t status, const char *message);
bool channel_emit(const uint8_t *at, size_t length);
bool channel_gone(uint64_t nanos, uint32_t collections);

#endif
