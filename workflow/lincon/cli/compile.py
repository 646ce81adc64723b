"""`lincon compile`: kernels that play policies, compiled once."""

import argparse

from lincon.engine.kernels import KERNELS


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kernels", nargs="+", choices=sorted(set(KERNELS.values())))


def run(args: argparse.Namespace) -> None:
    from lincon.engine.simulate import compile_kernels

    compile_kernels(*args.kernels)
