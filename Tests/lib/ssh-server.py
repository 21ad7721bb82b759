#!/usr/bin/env python3
"""An SSH server for this user alone, on the loopback interface: runs commands in a shell, and transfers files.

usage: ssh-server.py FOLDER    FOLDER has host_key and authorized_keys, and gets the file `port` once somebody can log in

A real sshd needs a user and folders of its own, and its package starts a service.
"""
import asyncio
import os
import sys

import asyncssh


async def copy(source, target):
    """All bytes of a stream; a reader that is gone ends it."""
    try:
        while part := await source.read(65536):
            target.write(part)
            await target.drain()
    except (ConnectionError, asyncssh.Error):
        pass


async def feed(source, target):
    await copy(source, target)
    target.close()


class Files(asyncssh.SFTPServer):
    """Transfers that end with an exit code; scp takes one without for a failure."""

    def exit(self):
        self.channel.exit(0)


async def serve(process):
    """One command of a client; clients keep a connection open by one that reads for ever."""
    shell = await asyncio.create_subprocess_exec(
        '/bin/sh', '-c', process.command or 'exit 64', stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE)
    feeding = asyncio.create_task(feed(process.stdin, shell.stdin))
    await asyncio.gather(copy(shell.stdout, process.stdout), copy(shell.stderr, process.stderr))
    process.exit(await shell.wait())
    feeding.cancel()


async def main(folder):
    server = await asyncssh.listen(
        '127.0.0.1', 0, server_host_keys=[f'{folder}/host_key'], authorized_client_keys=f'{folder}/authorized_keys',
        process_factory=serve, sftp_factory=Files, encoding=None)
    with open(f'{folder}/port.partial', 'w', encoding='ascii') as file:
        file.write(str(server.get_port()))
    os.rename(f'{folder}/port.partial', f'{folder}/port')
    await asyncio.Future()


asyncio.run(main(sys.argv[1]))
