#!/usr/bin/env python3
"""Has another project's reader judge one format of a rig's report, and compares what it read with the report.

usage: rig-report-judges.py FORMAT FILE REPORT [TOOL]

FORMAT is json, tap, ktap, xsd, junit, kcidb, lava, or testdef for a test definition of LAVA's; REPORT is the report's JSON. TOOL is kunit.py for ktap, junit-10.xsd for
xsd, and for lava and testdef the folder into which its packages were unpacked. Ends with 1 and the judge's words if it refuses.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

GOOD = ('done', 'pass', 'marginal')


class Refusal(Exception):
    pass


def agree(what, expected, got):
    """Both are lists or numbers; the first difference is what is said."""
    if expected == got:
        return
    if isinstance(expected, list) and isinstance(got, list):
        for one, other in zip(expected, got):
            if one != other:
                raise Refusal(f'{what}: {one!r} is in the report, and {other!r} was read')
        raise Refusal(f'{what}: {len(expected)} are in the report, and {len(got)} were read')
    raise Refusal(f'{what}: {expected!r} is in the report, and {got!r} was read')


def margin(value, limit):
    """As the report's own definition has it: distance inside of the nearer bound."""
    distances = [value - limit['least']] if 'least' in limit else []
    distances += [limit['most'] - value] if 'most' in limit else []
    return min(distances) if distances else None


def verdict(measure):
    value, limit = measure['value'], measure['limit']
    if value is None:
        return 'error'
    if limit is None:
        return 'done'
    if value < limit.get('least', value) or value > limit.get('most', value):
        return 'fail'
    if value < limit.get('marginal_below', value) or value > limit.get('marginal_above', value):
        return 'marginal'
    return 'pass'


def refuse_constant(text):
    raise Refusal(f'{text} is no number of JSON')


def judge_json(text, report, _):
    """Computes verdicts and margins anew."""
    document = json.loads(text, parse_constant=refuse_constant)
    agree('results', [result['name'] for result in report['results']], [result['name'] for result in document['results']])
    count = 0
    for result in document['results']:
        for measure in result['measures']:
            where = f"{result['name']} {measure['name']}"
            agree(f'verdict of {where}', verdict(measure), measure['verdict'])
            value, limit = measure['value'], measure['limit']
            agree(f'margin of {where}', None if None in (value, limit) else margin(value, limit), measure['margin'])
            count += 1
    return f'{len(document["results"])} results, {count} measures'


def judge_tap(text, report, _):
    import tap.parser
    if not tap.parser.ENABLE_VERSION_13:
        raise Refusal('tap.py has no PyYAML or no more-itertools, and would read nothing')
    lines = list(tap.parser.Parser().parse_text(text))
    unknown = [line for line in lines if line.category == 'unknown']
    if unknown:
        raise Refusal(f'{len(unknown)} lines are unknown to tap.py')
    agree('version', [14], [line.version for line in lines if line.category == 'version'])
    agree('plan', [len(report['results'])], [line.expected_tests for line in lines if line.category == 'plan'])
    points = [line for line in lines if line.category == 'test']
    agree('points', [(result['name'], result['verdict'] in (*GOOD, 'skip'), result['verdict'] == 'skip')
                     for result in report['results']],
          [(point.description.removeprefix('- '), point.ok, point.skip) for point in points])
    agree('numbers', list(range(1, len(points) + 1)), [point.number for point in points])
    for result, point in zip(report['results'], points):
        block = point.yaml_block
        if block is None:
            raise Refusal(f'the YAML of {result["name"]} can\'t be read')
        agree(f'measures of {result["name"]}',
              [(measure['name'], measure['value'], measure['unit'], measure['verdict']) for measure in result['measures']],
              [(measure['name'], measure['value'], measure['unit'], measure['verdict'])
               for measure in block.get('measures', [])])
    return f'{len(points)} points, {sum(not point.ok for point in points)} not ok, {sum(point.skip for point in points)} skipped'


def judge_ktap(text, report, kunit):
    with tempfile.NamedTemporaryFile('w', suffix='.ktap') as file:
        file.write(text)
        file.flush()
        # It ends with 1 where a test failed, too: its words decide.
        said = subprocess.run([sys.executable, kunit, 'parse', file.name], capture_output=True, text=True)
    words = re.sub(r'\x1b\[[0-9;]*m', '', said.stdout)
    summary = re.search(r'Testing complete\. (.*)', words)
    if not summary or '[ERROR]' in words:
        raise Refusal(words + said.stderr)
    verdicts = [result['verdict'] for result in report['results']]
    skipped = verdicts.count('skip')
    passed = sum(verdict in GOOD for verdict in verdicts)
    counts = {'passed': passed, 'failed': len(verdicts) - passed - skipped, 'skipped': skipped}
    agree('counts', {name: count for name, count in counts.items() if count},
          {name: int(count) for name, count in re.findall(r'(\w+): (\d+)', summary[1].split('tests:')[1])})
    return summary[0]


def judge_xsd(text, report, schema):
    from lxml import etree
    xml = etree.XMLSchema(etree.parse(schema))
    document = etree.fromstring(text.encode())
    if not xml.validate(document):
        raise Refusal(str(xml.error_log))
    return f'{len(document.findall(".//testcase"))} cases are valid by {os.path.basename(schema)}'


def judge_junit(text, report, _):
    import junitparser
    suites = junitparser.JUnitXml.fromstring(text.encode())
    cases = [case for suite in suites for case in suite]
    kinds = {junitparser.Failure: ('fail',), junitparser.Error: ('miss', 'error'), junitparser.Skipped: ('skip',)}
    results = {result['name']: result for result in report['results']}
    agree('cases', sorted(results), sorted(case.name for case in cases))
    for case in cases:
        result = results[case.name]
        expected = next((kind for kind, verdicts in kinds.items() if result['verdict'] in verdicts), None)
        agree(f'outcome of {case.name}', [expected] if expected else [], [type(found) for found in case.result])
        measures = json.loads(case.system_out)['measures']
        agree(f'measures of {case.name}', result['measures'], measures)
    counted = (suites.tests, suites.failures, suites.errors)
    suites.update_statistics()
    agree('counts', (suites.tests, suites.failures, suites.errors), counted)
    return '%d cases, %d failures, %d errors' % counted


def judge_kcidb(text, report, _):
    from kcidb_io.schema import LATEST
    import jsonschema
    document = json.loads(text, parse_constant=refuse_constant)
    agree('schema', [LATEST.major, LATEST.minor], [document['version']['major'], document['version']['minor']])
    try:
        LATEST.validate(document)
    except jsonschema.ValidationError as error:
        raise Refusal(f'{error.json_path}: {error.message}')
    words = {'done': 'DONE', 'pass': 'PASS', 'marginal': 'PASS', 'skip': 'SKIP', 'fail': 'FAIL', 'miss': 'MISS', 'error': 'ERROR'}
    expected = []
    for result in report['results']:
        expected.append((f"capturegate.{result['check']}", words[result['verdict']], None))
        expected += [(f"capturegate.{result['check']}.{measure['name']}", words[measure['verdict']], measure['value'])
                     for measure in result['measures']]
    tests = document['tests']
    agree('tests', expected, [(test['path'], test['status'], test.get('number', {}).get('value')) for test in tests])
    agree('different ids', len(tests), len({test['id'] for test in tests}))
    agree('builds', {test['build_id'] for test in tests}, {build['id'] for build in document['builds']})
    return f'{len(tests)} tests are valid by schema {LATEST.major}.{LATEST.minor}'


def judge_lava(text, report, folder):
    """The dispatcher's own expression and functions read each signal, and its own script writes the same one."""
    packages = f'{folder}/usr/lib/python3/dist-packages'
    sys.path.insert(0, packages)
    from lava_common.exceptions import LAVAError
    from lava_dispatcher.actions.test.shell import handle_testcase
    from lava_dispatcher.connection import SignalMatch
    source = open(f'{packages}/lava_dispatcher/actions/test/shell.py').read()
    pattern = re.compile(re.search(r'"signal": r"(.*)",', source)[1])
    scripts = f'{packages}/lava_dispatcher/lava_test_shell'
    words = {'skip': 'skip', 'fail': 'fail', 'miss': 'unknown', 'error': 'unknown', **{verdict: 'pass' for verdict in GOOD}}
    expected = []
    for result in report['results']:
        name = re.sub('[^A-Za-z0-9._-]', '_', result['name'])
        expected += [(f"{name}.{measure['name']}", words[measure['verdict']], measure['value'])
                     for measure in result['measures']]
        expected.append((name, words[result['verdict']], None))
    found = []
    for line in text.splitlines():
        match = pattern.fullmatch(line)
        if not match or match[1] != 'TESTCASE':
            raise Refusal(f'no signal of a test case: {line}')
        try:
            case = SignalMatch().match(handle_testcase(match[2].split()))
        except LAVAError as error:
            raise Refusal(f'{error} in {line}')
        found.append((case['test_case_id'], case['result'], case.get('measurement')))
        agree('the signal of lava-test-case', line_of(scripts, handle_testcase(match[2].split())), line)
    agree('cases', expected, found)
    return f'{len(found)} signals'


def judge_testdef(text, report, folder):
    """The schema that LAVA holds a test definition against, and a shell that reads its steps."""
    import yaml
    sys.path.insert(0, f'{folder}/usr/lib/python3/dist-packages')
    from lava_common.schemas.test.testdef import validate
    definition = yaml.safe_load(text)
    validate(definition)
    steps = definition['run']['steps']
    shell = subprocess.run(['sh', '-n'], input='\n'.join(steps), capture_output=True, text=True)
    if shell.returncode:
        raise Refusal(shell.stderr)
    return f'{len(steps)} steps'


def line_of(scripts, case):
    options = [word for name, option in (('result', '--result'), ('units', '--units'), ('measurement', '--measurement'))
               if name in case for word in (option, case[name])]
    with tempfile.TemporaryDirectory() as results:
        said = subprocess.run(
            ['sh', f'{scripts}/lava-test-case', case['test_case_id'], *options], capture_output=True, text=True,
            env={'PATH': f'{scripts}:{os.environ["PATH"]}', 'LAVA_RESULT_DIR': results, 'KMSG': ''})
    return (said.stdout + said.stderr).strip()


def main():
    format, file, report, *tool = sys.argv[1:]
    try:
        text = open(file, encoding='utf-8').read()
        print(globals()[f'judge_{format}'](text, json.load(open(report)), *tool or [None]))
    except Refusal as refusal:
        print(refusal)
        return 1
    except Exception as error:
        # A reader that throws refuses, too.
        print(f'{type(error).__name__}: {error}')
        return 1
    return 0


sys.exit(main())
