"""A bench of capture devices in labgrid: the resource that an exporter offers, and the driver that runs a plan there."""
import json
import os
import shlex

import attr
from labgrid.driver import Driver
from labgrid.driver.exception import ExecutionError
from labgrid.factory import target_factory
from labgrid.protocol import CommandProtocol, FileTransferProtocol
from labgrid.resource import Resource
from labgrid.step import step


@target_factory.reg_resource
@attr.s(eq=False)
class CaptureRigBench(Resource):
    """The exporter's host. Its values are plain text and numbers: an exporter can't send anything else."""
    program = attr.ib(default='capturegate', validator=attr.validators.instance_of(str))
    # Variables for the plan's commands: "RIG_SPEAKER=hw:1,0 RIG_HUB=1-1".
    variables = attr.ib(default='', validator=attr.validators.instance_of(str))


@target_factory.reg_driver
@attr.s(eq=False)
class CaptureRigDriver(Driver):
    """Copies a plan to the bench, runs it there, and brings the reports back."""
    bindings = {'bench': CaptureRigBench, 'command': CommandProtocol, 'files': FileTransferProtocol}
    # Other exit codes than these mean that nothing was judged: a bad plan is 65.
    judged = {0: 'all passed', 1: 'a check failed', 69: 'a device is missing'}

    @Driver.check_active
    @step(args=['plan'], result=True)
    def run(self, plan, reports, timeout=None):
        """Runs a plan; boards and commands in its folder go with it.

        Returns the exit code and report.json, which lies with all other reports in the new folder `reports`.
        """
        folder, name = os.path.split(os.path.abspath(plan))
        parent, out = os.path.split(os.path.abspath(reports))
        work = self.command.run_check('mktemp -d')[0]
        try:
            self.files.put(folder, f'{work}/plan')
            words = ['env', *shlex.split(self.bench.variables), self.bench.program, 'rig', 'run', f'{work}/plan/{name}',
                     '--out', f'{work}/{out}']
            _, said, code = self.command.run(shlex.join(words), timeout=timeout)
            if code not in self.judged:
                raise ExecutionError(f'{name} ended with exit code {code}: ' + '\n'.join(said))
            os.makedirs(parent, exist_ok=True)
            self.files.get(f'{work}/{out}', parent)
        finally:
            self.command.run(f'rm -rf {shlex.quote(work)}')
        with open(f'{reports}/report.json', encoding='utf-8') as file:
            return code, json.load(file)
