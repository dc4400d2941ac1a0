from tools import chop, stir, taste


def cook(guests):
    for guest in range(guests):
        soup(guest)
        salad(guest)


def soup(guest):
    chop("leek")
    chop("carrot")
    stir()
    taste()


def salad(guest):
    chop("lettuce")
    stir()
