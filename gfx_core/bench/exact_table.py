"""The exactness benchmark for people: a table, and what its numbers say."""

from typing import Any

METHODS: dict[str, tuple[str, float | None]] = {
    "tabular": ("table, flow matching", 0.01),
    "tabular-tb": ("table, trajectory balance", None),
    "tabular-sequence": ("table, GFlow-Sequence", None),
    "theory-sequence": ("theory, GFlow-Sequence", None),
    "tabular-graph": ("table, GFlow-Graph", None),
    "network": ("network per instance, trajectories", 0.05),
    "network-all": ("network per instance, all states", None),
    "network-plain": ("network per instance, without δ", None),
    "network-trainer": ("network per instance, by Trainer", None),
    "network-sequence": ("network, GFlow-Sequence", None),
    "network-graph": ("network, GFlow-Graph", None),
    "amortised": ("one network for all instances", None),
}


def table(record: dict[str, Any]) -> str:
    """The record for people."""
    lines = [f"Total variation from R/Z, in {record['seconds']:.0f} s on {record['made']['device']}"]
    for about in record["datasets"]:
        states = about["states"]
        lines.append(
            f"{about['dataset']}: {len(states)} instances, {sum(states):,} states ({min(states)} to {max(states)}), "
            f"K_M = {about['max_nodes']}"
        )
    head = f"{'':<36} {'instances':>9} {'mean':>7} {'median':>7} {'max':>7} {'goal':>5} {'seconds':>8}"
    last = None
    for row in record["rows"]:
        if (row["preset"], row["dataset"]) != last:
            last = (row["preset"], row["dataset"])
            lines += ["", f"{row['dataset']}, reward “{row['preset']}”", head]
        goal = "" if row["goal"] is None else f"{row['goal']:.2f}"
        lines.append(
            f"{METHODS[row['method']][0]:<36} {row['instances']:>9} {row['mean']:>7.4f} {row['median']:>7.4f} "
            f"{row['max']:>7.4f} {goal:>5} {row['seconds']:>8.1f}"
        )
    return "\n".join([*lines, "", verdict(record)])


def verdict(record: dict[str, Any]) -> str:
    """What the numbers say, in a few sentences."""
    rows = {(r["dataset"], r["preset"], r["method"]): r for r in record["rows"]}
    cases = sorted({key[:2] for key in rows})

    def means(method: str) -> list[float]:
        return [rows[*case, method]["mean"] for case in cases if (*case, method) in rows]

    def span(method: str) -> str:
        values = means(method)
        return f"{min(values):.3f} to {max(values):.3f}"

    said = []
    for method in ("tabular", "network"):
        goal = METHODS[method][1]
        assert goal is not None
        met = sum(mean <= goal for mean in means(method))
        said.append(
            f"{METHODS[method][0].capitalize()}: mean {span(method)}; goal {goal} met in {met} of {len(cases)} cases."
        )
    for dataset, preset in cases:
        some, every = rows[dataset, preset, "network"], rows[dataset, preset, "network-all"]
        if some["mean"] <= some["goal"]:
            continue
        falling = some["mean"] < 0.8 * some["curve"][-2][1]
        if every["mean"] <= some["goal"]:
            why = f"on all states it reaches {every['mean']:.3f}, so what is missing is visits, not expressiveness"
        else:
            why = f"on all states it is {every['mean']:.3f}, so visits alone are not what is missing"
        trend = "it was still falling when training ended" if falling else "the second half of training hardly helped"
        said.append(f"{dataset}, {preset}: the network ends at {some['mean']:.3f}; {why}; {trend}.")
    better = sum(a < b for a, b in zip(means("network"), means("network-plain"), strict=True))
    said.append(f"Without δ the networks end at {span('network-plain')}; δ helps in {better} of {len(cases)} cases.")
    said.append(f"One network for all instances of a data set: mean {span('amortised')}.")
    gap = max(
        abs(a - b)
        for case in cases
        for a, b in zip(
            rows[*case, "tabular-sequence"]["values"], rows[*case, "theory-sequence"]["values"], strict=True
        )
    )
    said.append(
        f"Does a DAG matter? In tables GFlow-Sequence ends at {span('tabular-sequence')} (theory differs by at most "
        f"{gap:.3f}) and GFlow-Graph at {span('tabular-graph')}, against {span('tabular')} with valid parents."
    )
    worse = [
        sum(rows[*case, f"network-{other}"]["mean"] > rows[*case, "network"]["mean"] for case in cases)
        for other in ("sequence", "graph")
    ]
    said.append(
        f"With networks valid parents are closer than GFlow-Sequence in {worse[0]} and than GFlow-Graph in {worse[1]} "
        f"of {len(cases)} cases. Trajectory balance in tables: {span('tabular-tb')}."
    )
    return "\n".join(said)
