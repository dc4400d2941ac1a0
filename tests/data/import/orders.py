# Objects and counters in a Chrome trace, by VizTracer: python3 orders.py orders.viztracer.json
import resource
import sys

from viztracer import VizTracer
from viztracer.vizcounter import VizCounter
from viztracer.vizobject import VizObject

tracer = VizTracer(verbose=0, ignore_c_function=True, file_info=False, output_file=sys.argv[1])
kept = []


def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()


def take(number, counter):
    basket = VizObject(tracer, "Basket")
    order = VizObject(tracer, "Order")
    order.number = number
    if number % 4 == 0:
        keep(order)
    counter.rss = resident()
    counter.orders = len(kept)


def keep(order):
    kept.append(order)
    kept.append(VizObject(tracer, "Receipt"))


def main():
    counter = VizCounter(tracer, "memory")
    for number in range(12):
        take(number, counter)


tracer.start()
main()
tracer.stop()
tracer.save()
