/* Where ranks share cores: UCX's loop, which polls its sockets again and again while MPI waits, gives
 * the core away when there is nothing. It never does so by itself, and a rank that waits then keeps
 * others from working for a whole slice of the scheduler's. To be loaded with LD_PRELOAD. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <sys/epoll.h>

int epoll_wait(int file, struct epoll_event* events, int most, int timeout) {
  static int (*real)(int, struct epoll_event*, int, int);
  int found;
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "epoll_wait");
  found = real(file, events, most, timeout);
  if (found == 0 && timeout == 0) sched_yield();
  return found;
}
