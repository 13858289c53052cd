"""Many clients of one process share files and connections: each key costs memory only."""

import gc
from contextlib import ExitStack, suppress
from pathlib import Path

from coachboard.client import Client, Options, ServiceError

KEYS = 40


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_clients_of_one_service_share_files_and_connections(squad_service, tmp_path):
    cache_url = f"sqlite:///{tmp_path / 'cache.db'}"
    with ExitStack() as stack:
        before = open_files()
        for number in range(KEYS):
            client = Client(squad_service, f"wrong-{number}", cache_url=cache_url, options=Options())
            stack.enter_context(client)
            with suppress(ServiceError):
                client.get_user()
        assert open_files() - before < KEYS


def open_in(folder) -> set[str]:
    """The open files of this process in that folder."""
    names = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile, such as that of the listing
            path = descriptor.readlink()
            if path.parent == folder:
                names.add(path.name)
    return names


def test_the_last_client_closes_the_shared_files(squad_service, tmp_path):
    folder = tmp_path / "client"
    folder.mkdir()
    cache_url = f"sqlite:///{folder / 'cache.db'}"
    clients = [Client(squad_service, f"wrong-{number}", cache_url=cache_url) for number in range(3)]
    for client in clients:
        with suppress(ServiceError):
            client.get_user()
    clients[0].close()
    clients[0].close()
    with suppress(ServiceError):
        clients[1].get_user(max_age_s=0)  # still works
    assert "cache.db" in open_in(folder)
    for client in clients[1:]:
        client.close()
    gc.collect()

    assert open_in(folder) == set()
