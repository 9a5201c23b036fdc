/* The environment variable that loads the launch library. */
#ifndef MAYFLY_VARIABLE_H
#define MAYFLY_VARIABLE_H

void variable_take_back(const char *library, const char *options);

#endif
