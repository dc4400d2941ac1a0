"""Keeps secrets in parts among participants, by Shamir's method: the second case study of the paper on ring charts.

store.py OPERATIONS [plain-random] [no-hash]: so many values are put and got. `plain-random` takes the coefficients from
`random` instead of `secrets`, `no-hash` places parts by their number instead of by a hash; the paper made both changes.
"""
import hashlib
import random
import sys

import shamirs

PARTICIPANTS, PARTS, NEEDED = 7, 5, 3
MODULUS = 2**127 - 1


def split(value):
    return shamirs.shares(value, quantity=PARTS, modulus=MODULUS, threshold=NEEDED)


def join(parts):
    return shamirs.interpolate(parts, threshold=NEEDED)


def places_by_hash(key):
    rank = lambda participant: hashlib.sha256(f"{key} {participant}".encode()).digest()
    return sorted(range(PARTICIPANTS), key=rank)[:PARTS]


def places_by_number(key):
    return [(key + part) % PARTICIPANTS for part in range(PARTS)]


class Store:
    def __init__(self, places):
        self.places = places
        self.participants = [{} for _ in range(PARTICIPANTS)]

    def get(self, key):
        kept = [self.participants[place].get(key) for place in self.places(key)]
        parts = [part for part in kept if part is not None]
        return join(parts[:NEEDED]) if parts else None

    def put(self, key, value):
        """The value that was there before is returned, and so is joined."""
        before = self.get(key)
        for place, part in zip(self.places(key), split(value)):
            self.participants[place][key] = part
        return before


def main(operations, changes):
    if "plain-random" in changes:
        shamirs.shamirs.secrets = random
        random.randbelow = random.randrange
    store = Store(places_by_number if "no-hash" in changes else places_by_hash)
    for step in range(operations):
        key = step % 10
        store.put(key, step)
        assert store.get(key) == step


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
