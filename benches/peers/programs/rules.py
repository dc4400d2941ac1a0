"""The workload of Ninja in benches/record.rs: a build file of so many objects, libraries and programs, all to be built.

    python3 benches/peers/programs/rules.py OBJECTS > build.ninja
"""

import sys

objects = int(sys.argv[1])
print("rule cc\n  command = cc -MD -c $in -o $out $flags\n  description = CC $out")
print("rule link\n  command = cc $in -o $out\n  description = LINK $out")
for i in range(objects):
    print(f"build obj/{i % 97}/file{i}.o: cc src/{i % 97}/file{i}.c | src/{i % 97}/all.h\n  flags = -O2 -DNUMBER={i}")
    print(f"build src/{i % 97}/file{i}.c: phony")
for i in range(97):
    print(f"build src/{i}/all.h: phony")
for i in range(objects // 50):
    of = " ".join(f"obj/{j % 97}/file{j}.o" for j in range(i * 50, i * 50 + 50))
    print(f"build bin/program{i}: link {of}")
