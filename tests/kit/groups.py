"""tests/kit/groups.py - the groups of tools; scripts/groups documents their group.yaml."""

import yaml

from kit.check import ROOT

GROUPS = {file.parent.name: yaml.safe_load(file.read_text()) for file in sorted(ROOT.glob("svc-*/group.yaml"))}
