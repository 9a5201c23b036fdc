/* The state that the files of the host share. */
#include "host.h"

struct host host = {.record_fd = -1, .socket_fd = -1, .listen_fd = -1, .wake_fd = -1};
