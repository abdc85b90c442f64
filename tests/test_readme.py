"""The commands in the README run as they stand there."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

CONGRAPH = pathlib.Path(os.environ["CONGRAPH"])
README = pathlib.Path(__file__).parent.parent / "README.md"


class Readme(unittest.TestCase):
    def test_commands_run_in_order(self):
        text = README.read_text(encoding="utf-8")
        lines = [line for block in re.findall(r"```sh\n(.*?)```", text, re.S) for line in block.splitlines()]
        self.assertGreaterEqual(len(lines), 5)
        path = f"{CONGRAPH.parent}{os.pathsep}{os.environ['PATH']}"
        with tempfile.TemporaryDirectory() as folder:
            for line in lines:
                with self.subTest(command=line):
                    done = subprocess.run(
                        line, shell=True, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True
                    )
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_sample_of_the_demo_is_what_it_prints(self):
        text = README.read_text(encoding="utf-8")
        sample = re.search(r"```text\n(Simulated.*?)```", text, re.S).group(1)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([CONGRAPH, "demo"], cwd=folder, capture_output=True, text=True, check=True)
        self.assertTrue(done.stdout.startswith(sample), done.stdout)


if __name__ == "__main__":
    unittest.main()
