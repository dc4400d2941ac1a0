"""Where a file is."""


class Path:
    def __init__(self, text, stored=None):
        self.text = text
        self.stored = parse(text) if stored is None else stored

    def segments(self):
        return self.stored

    def segment_count(self):
        return len(self.stored)

    def segment(self, index):
        return self.stored[index]

    def append(self, name):
        return Path(self.text + "/" + name, self.stored + [name])


def parse(text):
    found, word = [], ""
    for letter in text + "/":
        if letter == "/":
            if word:
                found.append(word)
            word = ""
        else:
            word += letter
    return found
