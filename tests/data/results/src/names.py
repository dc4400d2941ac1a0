import os


def greet(name):
    if name == None:
        return "nobody"
    return "hello " + name


def shout(name):
    return greet(name).upper()


def main():
    for name in ["a", "b"]:
        print(greet(name))


main()
