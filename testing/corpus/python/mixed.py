"""Blocks two threads below calls that alternate between Python and C, and prints their Python stacks.

Output: for each thread a line "thread TID NAME"; then its frames, leaf first, as "c QUALIFIED_NAME FILE:LINE" where
CPython's C code made the call, or "p ..." where Python code did; finally "ready". The program ends after a minute.
"""
import functools
import os
import sys
import threading
import time

BLOCKED, BLOCKS = os.pipe()
NEVER, _ = os.pipe()
LOCK = threading.Lock()
CALLED_BY_C = {threading.Thread._bootstrap.__code__}


def called_by_c(function):
    CALLED_BY_C.add(function.__code__)
    return function


def blocks_in_read():
    return os.write(BLOCKS, b"r"), os.read(NEVER, 1)


def blocks_in_lock():
    return os.write(BLOCKS, b"l"), LOCK.acquire()


def größe(n):
    return blocks_in_read() if n == 0 else größe(n - 1)


@called_by_c
def numbers():
    yield 1
    yield größe(3)


@called_by_c
def fold(total, number):
    for each in numbers():
        total += each
    return total + number


class Weight:
    def __init__(self, value):
        self.value = value

    @called_by_c
    def __lt__(self, other):
        return functools.reduce(fold, [self.value, other.value]) < 0


def lightest(weights):
    return sorted(weights)[0]


@called_by_c
def key(value):
    return eval(compile("lightest([Weight(1), Weight(2)])", "<expression>", "eval"))


def 𐐨():
    return max([1, 2], key=key)


class Guard:
    @called_by_c
    def __enter__(self):
        return blocks_in_lock()

    def __exit__(self, *failure):
        return None


@called_by_c
def ключ():
    with Guard():
        return None


def stack_of(thread):
    frame = sys._current_frames()[thread.ident]
    while frame is not None:
        code = frame.f_code
        caller = "c" if code in CALLED_BY_C or code.co_name == "<module>" else "p"
        yield f"{caller} {code.co_qualname} {code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back


def report(threads):
    waiting = len(threads)
    while waiting > 0:
        waiting -= len(os.read(BLOCKED, waiting))
    for name, thread in threads.items():
        print("thread", thread.native_id, name)
        print("\n".join(stack_of(thread)))
    print("ready", flush=True)
    time.sleep(60)
    os._exit(0)


LOCK.acquire()
worker = threading.Thread(target=ключ, daemon=True)
worker.start()
threading.Thread(target=report, args=[{"main": threading.main_thread(), "worker": worker}], daemon=True).start()
𐐨()
