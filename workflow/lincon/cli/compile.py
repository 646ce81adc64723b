"""`lincon compile`: the kernels that play policies, compiled once."""

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kernels", nargs="*", help="dense, lazy_index, ...; by default all of them")


def run(args: argparse.Namespace) -> None:
    from lincon.engine.kernels import KERNELS
    from lincon.engine.simulate import compile_kernels
    from lincon.errors import UserError
    from lincon.kernel_cache import cache_folder, remove_unused

    known = sorted(set(KERNELS.values()))
    for kernel in args.kernels:
        if kernel not in known:
            raise UserError(f"{kernel!r} is not a kernel; allowed: {', '.join(known)}")
    compile_kernels(*args.kernels)
    remove_unused(cache_folder())
