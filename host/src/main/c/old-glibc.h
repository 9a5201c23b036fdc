/*
 * The library must load in old containers, so it uses no symbol newer than GLIBC_2.17. Where a newer C library exports
 * an unchanged function under a newer version, the old version is requested by name. HostLibraryTest checks the result.
 */
#ifndef MAYFLY_OLD_GLIBC_H
#define MAYFLY_OLD_GLIBC_H

#define AS_IN(version, function) __asm__(".symver " #function "," #function "@GLIBC_" #version)
#define AS_BEFORE(function) AS_IN(2.2.5, function)

AS_IN(2.3.3, pthread_condattr_setclock);
AS_BEFORE(dladdr);
AS_IN(2.3.3, dladdr1);
AS_BEFORE(dlclose);
AS_IN(2.3.3, dlinfo);
AS_IN(2.3.4, dlmopen);
AS_BEFORE(dlopen);
AS_BEFORE(dlsym);
AS_BEFORE(pthread_attr_setstacksize);
AS_BEFORE(pthread_create);
AS_BEFORE(pthread_detach);
AS_BEFORE(pthread_getspecific);
AS_BEFORE(pthread_join);
AS_BEFORE(pthread_key_create);
AS_BEFORE(pthread_key_delete);
AS_BEFORE(pthread_setspecific);

#endif
