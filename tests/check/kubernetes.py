"""tests/check/kubernetes.py - every object of deploy/kubernetes fits the schemas of the API and of
the Prometheus operator, and has no field that they do not know: a cluster ignores such a field.

`kubectl kustomize` builds an overlay with all components first, so the patches are judged, too.
Each judge must also find what is wrong in broken copies. Run by `make check`. The schemas come from
npm: kubernetes/package-lock.json pins them, and they are installed into the build folder. Without
kubectl the objects are judged as they are in the files, without the patches.
"""

import argparse
import copy
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OBJECTS = ROOT / "deploy" / "kubernetes"
COMPONENTS = ["autoscale", "cert-manager", "monitoring"]
COUNT_MIN = 50


def install(build):
    folder = build / "tests/check/kubernetes"
    shutil.copytree(HERE / "kubernetes", folder, dirs_exist_ok=True)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True)
    return folder


def built():
    """The objects of an overlay with all components, and the Job."""
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copytree(OBJECTS, Path(scratch, "kubernetes"))
        overlay = Path(scratch, "overlay")
        overlay.mkdir()
        (overlay / "kustomization.yaml").write_text(yaml.safe_dump({
            "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "namespace": "tollgate",
            "resources": ["../kubernetes/base", "../kubernetes/migrate"],
            "components": [f"../kubernetes/{name}" for name in COMPONENTS]}))
        text = subprocess.run(["kubectl", "kustomize", overlay], check=True, capture_output=True, text=True).stdout
    return list(yaml.safe_load_all(text))


def as_they_are():
    files = [file for file in sorted(OBJECTS.glob("*/*.yaml")) if file.name not in ("kustomization.yaml", "patch.yaml")]
    return [each for file in files for each in yaml.safe_load_all(file.read_text())]


def problems_of(objects, folder):
    file = folder / "objects.json"
    file.write_text(json.dumps(objects))
    done = subprocess.run(["node", "validate.mjs", file], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def broken(objects):
    """(what is broken, the copy): what the judges must find."""
    def of(kind):
        return copy.deepcopy(next(each for each in objects if each["kind"] == kind))

    deployment, scaler, monitor, rules = map(of, ("Deployment", "HorizontalPodAutoscaler", "ServiceMonitor", "PrometheusRule"))
    deployment["spec"]["template"]["spec"]["containers"][0]["imagePullPolice"] = "Always"
    yield "an unknown field in a container", deployment
    scaler["spec"]["maxReplicas"] = "ten"
    yield "a text instead of a number", scaler
    del monitor["spec"]["selector"]
    yield "a missing field", monitor
    rules["spec"]["groups"][0]["rules"][0]["severity"] = "page"
    yield "an unknown field of a rule", rules


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    folder = install(parser.parse_args().build.resolve())
    has_kubectl = shutil.which("kubectl") is not None
    objects = built() if has_kubectl else as_they_are()
    if len(objects) < COUNT_MIN:
        sys.exit(f"only {len(objects)} objects")
    found = problems_of(objects, folder)
    found += [f"the judges do not find {what}" for what, each in broken(objects) if not problems_of([each], folder)]
    print("\n".join(found) or f"{len(objects)} objects, {'with' if has_kubectl else 'WITHOUT'} their patches: no problems")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
