"""The rules of a class in words: which kinds of subgraph explain its predictions, and the wrong ones among them."""

from collections.abc import Sequence

from gfx_core.text.numbers import about_percent, counted

_TOLD = 3  # rules that are told one by one, where there are more


def class_sentence(prediction: str, noun: str, counts: Sequence[tuple[str, int]], predicted: int, failed: int) -> str:
    """Of 180 nodes predicted cycle, 98 % are explained by a ring of six, 2 % by a path of three.

    Args:
        prediction: The class.
        noun: What is predicted.
        counts: Each rule's name and how many predictions it explains, most first; no name where no small part does.
        predicted: How many predictions of the class there are.
        failed: How many could not be explained for another reason.
    """
    total = sum(count for _, count in counts)
    if not total:
        if failed:
            return f"None of {counted(failed, noun)} predicted {prediction} can be explained."
        return f"The GNN predicts {prediction} for no {noun}."
    what = f"{counted(total, noun)} predicted {prediction}"
    if total + failed < predicted:
        what += f" (a random sample of {predicted:,})"
    known = [(name, count) for name, count in counts if name]
    unexplained = total - sum(count for _, count in known)
    if not known:
        return f"Of {what}, no small part explains any."
    if len(known) == 1 and not unexplained:
        return f"Of {what}, all are explained by {known[0][0]}."
    told = known if len(known) <= _TOLD + 1 else known[:_TOLD]
    rest = known[len(told) :]
    shares = [*told, *([(f"{len(rest)} other rules", sum(count for _, count in rest))] if rest else [])]
    first, *others = ((about_percent(count / total), name) for name, count in shares)
    text = ", ".join([f"{first[0]} are explained by {first[1]}", *(f"{share} by {name}" for share, name in others)])
    last = f"; no small part explains {about_percent(unexplained / total)}" if unexplained else ""
    return f"Of {what}, {text}{last}."


def mistake_sentence(true: str, prediction: str, noun: str, rule: str, count: int) -> str:
    """2 nodes of class house top are predicted house middle by a triangle. No rule: no small part explains it."""
    by = f"by {rule}" if rule else "and no small part explains it"
    return f"{counted(count, noun)} of class {true} {'is' if count == 1 else 'are'} predicted {prediction} {by}."
