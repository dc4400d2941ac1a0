"""Imports files into a workspace."""

from .path import Path
from .tree import Workspace


class ImportWizard:
    def __init__(self, target):
        self.target = Path(target)
        self.workspace = Workspace()

    def run(self, files):
        for file in files:
            self.import_file(file)

    def import_file(self, name):
        where = self.target
        for part in name.split("/"):
            where = where.append(part)
        self.workspace.create(where)
