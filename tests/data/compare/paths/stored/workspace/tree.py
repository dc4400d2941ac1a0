"""The folders of a workspace."""


class Workspace:
    def __init__(self):
        self.root = {}

    def create(self, path):
        folder = self.root
        for index in range(path.segment_count() - 1):
            folder = self.folder_in(folder, path.segment(index))
        folder[path.segment(path.segment_count() - 1)] = None

    def folder_in(self, folder, name):
        return folder.setdefault(name, {})
