"""Where a file is."""


class Path:
    def __init__(self, text):
        self.text = text

    def segments(self):
        found, word = [], ""
        for letter in self.text + "/":
            if letter == "/":
                if word:
                    found.append(word)
                word = ""
            else:
                word += letter
        return found

    def segment_count(self):
        return len(self.segments())

    def segment(self, index):
        return self.segments()[index]

    def append(self, name):
        return Path(self.text + "/" + name)
