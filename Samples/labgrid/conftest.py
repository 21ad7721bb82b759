import os
import re
import subprocess

import pytest


def client(*words):
    return subprocess.run(['labgrid-client', *words], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope='session')
def reserved():
    """A bench that has the tag LG_BENCH_TAG, for this session alone; waits while others have all of them."""
    said = client('reserve', '--wait', '--shell', os.environ.get('LG_BENCH_TAG', 'capture=webcam'))
    token = os.environ['LG_TOKEN'] = re.search(r'LG_TOKEN=(\w+)', said)[1]
    client('-p', '+', 'acquire')
    yield token
    client('-p', '+', 'release')
    client('cancel-reservation', token)


@pytest.fixture(scope='session')
def env(reserved, env):
    """labgrid's own, once there is a place for it."""
    return env


@pytest.fixture(scope='session')
def rig(target):
    rig = target.get_driver('CaptureRigDriver', activate=False)
    target.activate(rig)
    return rig
