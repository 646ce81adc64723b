"""A policy for each kind of request, which keeps the constraints on the requests of its kind.

    max sum_i x_ki g_ki   s.t.   sum_i x_ki h_kij >= e_j  for all j,     for every kind k by itself

So do routers that set a floor for each kind. The average over all requests is kept as well, but a
success is bought in every kind, also where it is dear. `policy` is a class of `lincon.online`:
LinConTS, LinConKLUCB, TSLedger, or GittinsLedger, which needs T. The others are anytime.
"""

from lincon import online


class PerKind:
    def __init__(self, problem, rng, policy="TSLedger"):
        cls, self.policies, self.kind_of = getattr(online, policy), [], {}
        for arms, share in zip(problem.arms, problem.shares, strict=True):
            names = [int(i) for i in arms]
            columns = {i: {"value": problem.values[i], "cost": problem.costs[i]} for i in names}
            rules = []
            for j, one in enumerate(problem.constraints):
                for i in names:
                    columns[i] |= {f"a{j}": one.per_event[i], f"b{j}": one.per_play[i]}
                rule = {"name": one.name, "per_event": f"a{j}", "per_play": f"b{j}"}
                rules.append(rule | {one.sense: one.bound})
            goal = {"objective": {"value": "value", "cost": "cost"}, "constraints": rules}
            needs_t = {"horizon": share * problem.horizon} if policy == "GittinsLedger" else {}
            self.policies.append(cls(columns, goal=goal, seed=rng, **needs_t))
            self.kind_of |= dict.fromkeys(names, len(self.policies) - 1)

    def choose(self, t, kind=0):
        return self.policies[kind].choose()

    def update(self, t, arm, event):
        self.policies[self.kind_of[arm]].update(arm, event)
