#!/usr/bin/env bash
# Installs the peers (PyTorch, JAX, jemalloc) into build/peers: a few GB, once.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ ! -x build/peers/bin/python ]; then python3 -m venv build/peers; fi
build/peers/bin/pip install --quiet --upgrade torch numpy jax optax
dpkg-query -W libjemalloc2 >/dev/null 2>&1 || apt-get -qq install -y libjemalloc2
build/peers/bin/python -c 'import torch, jax; print("torch", torch.__version__, "jax", jax.__version__)'
