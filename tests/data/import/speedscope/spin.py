import threading, time
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def work(until):
    while time.time() < until:
        fib(12)
def main():
    until = time.time() + 1.0
    other = threading.Thread(target=work, args=(until,), name="other")
    other.start()
    work(until)
    other.join()
main()
