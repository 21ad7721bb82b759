"""Runs a plan on a bench that is free, and has each of its results be a test."""
import os

import pytest

plan = os.environ.get('LG_BENCH_PLAN', '../rig-plans/uvc-webcam.yaml')
reports = os.environ.get('LG_BENCH_REPORTS', 'reports')


@pytest.fixture(scope='session')
def outcome(rig):
    return rig.run(plan, reports)


def test_plan_is_judged(outcome, rig):
    code, report = outcome
    assert code in rig.judged and report['results']


def test_reports_are_brought_back(outcome):
    brought = os.listdir(reports)
    for ending in ('json', 'tap', 'ktap', 'xml', 'lava', 'kcidb.json', 'html'):
        assert f'report.{ending}' in brought


def test_every_check_passes(outcome, subtests):
    for result in outcome[1]['results']:
        with subtests.test(result['name']):
            if result['verdict'] == 'skip':
                pytest.skip(result.get('message') or 'left out')
            assert result['verdict'] in ('pass', 'marginal', 'done'), result.get('message')
