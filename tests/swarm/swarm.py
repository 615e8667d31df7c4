"""tests/swarm/swarm.py - the stack of deploy/swarm on three machines, for tests."""

import itertools
import os
import shutil
import ssl

import psycopg2
from containers import ADDRESSES, ComposeSite, Containers, ToEdge
from nodes import DEVICE, PREFIX, WIDTH, can_encrypt, inside
from part import command

STACK = "tollgate"
DEPLOY = "deploy/swarm/deploy"
EDGE_PORT = 8443


class Swarm(Containers):
    """The first node has the keys and the database, run by Compose; the swarm runs the rest.
    variables: settings of compose.yaml."""

    def __init__(self, nodes, **settings):
        self.nodes = nodes
        os.environ["DOCKER_HOST"] = nodes[0].host
        super().__init__("tollgate-keys", RESOLVE_IMAGE="never", **settings)
        self.with_files("deploy/swarm/manager.yaml", "tests/swarm/manager.yaml", STACK_FILES="tests/swarm/stack.yaml")
        self.variables |= {"HTTPS_PORT": str(EDGE_PORT), "HTTP_PORT": "8080",
                           "PUBLIC_URL": f"https://localhost:{EDGE_PORT}"}
        if not can_encrypt():
            self.variables["OVERLAY_ENCRYPTED"] = "off"

    def deploy(self):
        return self.run_script(DEPLOY)

    def forget(self):
        """Remove it; its machines are removed with the swarm."""
        del os.environ["DOCKER_HOST"]
        shutil.rmtree(self.directory)

    # -- services of the swarm --

    def docker(self, *arguments):
        """Run docker on a manager."""
        return self.nodes[0].docker(*arguments)

    def services(self):
        return [name.removeprefix(f"{STACK}_") for name in
                self.docker("stack", "services", "--format", "{{.Name}}", STACK).split()]

    def places(self, *services):
        """{service: {task: node's id}} of running tasks that should run."""
        lines = self.docker("service", "ps", "--no-trunc", "--filter", "desired-state=running", "--format",
                            "{{.ID}} {{.Name}} {{.CurrentState}}", *(f"{STACK}_{name}" for name in services)).splitlines()
        running = {task: name.split(".")[0].removeprefix(f"{STACK}_") for task, name, state, *_ in map(str.split, lines)
                   if state == "Running"}
        found = {service: {} for service in services}
        nodes = self.docker("inspect", "--format", "{{.ID}} {{.NodeID}}", *running) if running else ""
        for task, node in map(str.split, nodes.splitlines()):
            found[running[task]][task] = node
        return found

    def tasks(self, *services):
        """{task: node's id}"""
        return {task: node for there in self.places(*services).values() for task, node in there.items()}

    def containers(self, node, service):
        return node.tasks(f"{STACK}_{service}")


class Door:
    """The edge of one node."""

    def __init__(self, node):
        self._node = node

    def edge(self):
        return self._node.address, EDGE_PORT

    def edge_is_gone(self):
        pass


class SwarmSite(ComposeSite):
    """Clients have addresses on the switch. They connect to the edges in turn."""

    def __init__(self, swarm):  # without ComposeSite's: there is no bridge for the clients' addresses
        self._stack = swarm
        self._trust = None
        self._addresses = [f"{PREFIX}.{number}" for number in ADDRESSES]
        for address in self._addresses:
            command("ip", "address", "add", f"{address}/{WIDTH}", "dev", DEVICE)
        self._turn = itertools.cycle(self._addresses)
        self.use(swarm.nodes)

    def use(self, nodes):
        """Use the edges of these nodes from now on."""
        self._doors = itertools.cycle([Door(node) for node in nodes])

    def connection(self, address, timeout_s):
        return ToEdge(next(self._doors), address, timeout_s, self.trust())

    def at(self, node):
        """The same site, through only this node's edge."""
        other = object.__new__(SwarmSite)
        other.__dict__ |= self.__dict__
        other.use([node])
        return other

    def trust(self):
        if self._trust is None:
            pem = self._stack.pipe("run", "--rm", "--no-deps", "-T", "--entrypoint", "cat", "init",
                                   "/keys/edge/certificate.pem")
            self._trust = ssl.create_default_context(cadata=pem.decode())
        return self._trust

    def connect(self):
        with inside(self._stack.nodes[0]):
            connection = psycopg2.connect(self._stack.database())
        connection.autocommit = True
        return connection

