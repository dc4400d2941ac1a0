def chop(what):
    return [what] * slices(what)


def slices(what):
    return len(what)


def stir():
    for turn in range(3):
        taste()


def taste():
    return True
