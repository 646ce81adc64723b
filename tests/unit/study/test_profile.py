from lincon.command_line.phases import Phases
from lincon.study.profile import profile


def test_the_profile_adds_up_what_jobs_left_in_their_logs(tmp_path):
    for k in range(2):
        (tmp_path / f"{k}.log").write_text(
            "round 5\nlincon simulate: 0.50 s of processor time, 1.00 s in all\n"
        )
    (tmp_path / "other.log").write_text("lincon problem: failed\n")
    assert profile(tmp_path).splitlines()[1:] == [
        "simulate          2      1.00      2.00         0.50"
    ]


def test_inside_simulation_jobs_it_is_by_phase(tmp_path):
    for k in range(2):
        (tmp_path / f"{k}.log").write_text(
            "processor seconds by phase: start 0.100, rounds 0.250\n"
            "lincon simulate: 0.35 s of processor time, 0.40 s in all\n"
        )
    *_, start, rounds = profile(tmp_path).splitlines()
    assert start.split() == ["start", "2", "0.20", "0.100"]
    assert rounds.split() == ["rounds", "2", "0.50", "0.250"]


def test_phases_add_up_to_the_time_of_the_process(monkeypatch):
    clock = iter([1.0, 3.0, 3.5, 7.5])
    monkeypatch.setattr("time.process_time", lambda: next(clock))
    phases = Phases()
    for phase in ("start", "rounds", "kernel", "rounds"):
        phases.end(phase)
    assert phases.seconds == {"start": 1.0, "rounds": 6.0, "kernel": 0.5}
    assert str(phases) == "start 1.000, rounds 6.000, kernel 0.500"
