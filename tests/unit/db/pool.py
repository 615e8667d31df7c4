"""pool.py PROGRAM - run a program with a separate PostgreSQL: TOLLGATE_TEST_DB is the superuser's
URL, TOLLGATE_TEST_HOST its host."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "deploy" / "local"))

from postgres import Cluster  # noqa: E402 - found by the line above


def main(program):
    directory = Path(tempfile.mkdtemp(prefix="tollgate-pool-"))
    directory.chmod(0o711)
    cluster = Cluster(directory / "cluster", directory / "postgres.log", {"fsync": "off"})
    try:
        cluster.prepare()
        cluster.part.start()
        cluster.part.wait_ready()
        url = cluster.url("postgres").replace("dbname=tollgate", "dbname=postgres")
        env = os.environ | {"TOLLGATE_TEST_DB": url, "TOLLGATE_TEST_HOST": str(cluster.socket)}
        return subprocess.run([program], env=env).returncode
    finally:
        cluster.part.stop()
        cluster.release()
        cluster.remove()
        (directory / "postgres.log").unlink(missing_ok=True)
        directory.rmdir()


sys.exit(main(sys.argv[1]))
