"""Runs untrusted JavaScript from Python, using only the standard library.

Values are `safe:` text of smolagents: SafeSerializer.dumps and loads can replace json.
"""

import json
import subprocess
import sys

command = sys.argv[1:] or ["npx", "glovebox"]
server = subprocess.Popen(
    [*command, "serve", "--json-rpc", "stdio"],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    encoding="utf-8",
)


def execute(code, variables):
    """Returns the result of the code as `safe:` text; raises an error if the run fails."""
    params = {"code": code, "variables": variables, "format": "python"}
    request = {"jsonrpc": "2.0", "id": 1, "method": "execute", "params": params}
    print(json.dumps(request), file=server.stdin, flush=True)
    answer = json.loads(server.stdout.readline())
    outcome = answer.get("result") or {"ok": False, "error": answer["error"]}
    if outcome["ok"]:
        return outcome["value"]
    raise RuntimeError("{code}: {message}".format(**outcome["error"]))


size = {"__type__": "tuple", "data": [2, float("nan")]}
rows = [{"city": "Oslo", "celsius": 4.5}, {"city": "Lagos", "celsius": 31.0}]
variables = "safe:" + json.dumps({"rows": rows, "size": size, "big": 2**64})
print(execute("return [rows.filter((row) => row.celsius > 20), size, big + 1n]", variables))
try:
    execute("return missing", "safe:{}")
except RuntimeError as error:
    print(error)
server.stdin.close()
server.wait()
