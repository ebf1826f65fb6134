"""What the program of the bundle runs: the program, or for its own child processes, Python code
after `-c`.
"""

import sys

if sys.argv[1:2] == ["-c"]:
    code = sys.argv[2]
    sys.argv = ["-c", *sys.argv[3:]]
    exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
else:
    from bpe_studio.__main__ import main

    sys.exit(main())
