import os

import lit.formats

config.name = "Vernier"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_dir, "test")
path = [os.path.join(config.build_dir, "bin"), config.llvm_bin, os.environ["PATH"]]
# `lit --param poison=1`: a `vernier` that trains and evaluates in poisoned memory.
if lit_config.params.get("poison"):
    path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs", "poisoned"))
# Built with the sanitizers, a plugin needs their runtime in stock `mlir-opt`; and what
# measures memory, or links with another project, is not run.
if config.is_sanitized:
    path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs", "sanitized"))
    config.available_features.add("sanitized")
config.environment["PATH"] = os.pathsep.join(path)
# Waiting threads leave the cores to the tests that run beside them.
config.environment["OMP_WAIT_POLICY"] = "passive"
for name in ("HOME", "OMP_NUM_THREADS", "DNNL_MAX_CPU_ISA", "CI"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.substitutions.append(("%golden", os.path.join(config.source_dir, "test", "golden")))
config.substitutions.append(("%test_bin", os.path.join(config.build_dir, "test-bin")))
config.substitutions.append(("%source", config.source_dir))
config.substitutions.append(("%build", config.build_dir))
