"""tests/bench/gateways.py - what it costs that several gateways serve the same accounts, and that one joins.

A hundred accounts, so that both gateways' batches meet at the same rows all the time: one gateway is called, then two,
in turns and without the edge, which would send all of one address to one of them. Then, behind the edge, the gateway
that would serve joins while the load goes on with the other: nothing may break, and what clients notice is the 99th
percentile.
"""

from concurrent.futures import ThreadPoolExecutor

from kit.load import metric

ACCOUNTS = 100
METRICS = {"busy": "tollgate_ledger_lock_conflicts_total", "batches": "tollgate_ledger_transactions_total", "items": "tollgate_ledger_items_total"}


def ledger_work(stack):
    """What the gateways' ledgers have done so far, all together."""
    return {key: sum(metric(stack, name, what) for name in stack.parts if name.startswith("gateway-"))
            for key, what in METRICS.items()}


def with_conflicts(stack, load):
    before = ledger_work(stack)
    result = load()
    return result | {key: count - before[key] for key, count in ledger_work(stack).items()}


def while_one_joins(stack, load):
    """The load, beside the start of the gateway that has had most of it so far."""
    busiest = max((name for name in stack.parts if name.startswith("gateway-")),
                  key=lambda name: metric(stack, name, METRICS["items"]))
    stack.parts[busiest].stop()
    with ThreadPoolExecutor() as pool:
        result = pool.submit(load)
        stack.start_part(busiest)  # here, because a part ends with the thread that has started it
        return result.result()


def tell_conflicts(load):
    print(f"    {load['busy'] / load['items']:.2%} of the items were put off for the other gateway   "
          f"{load['items'] / load['batches']:.1f} items a batch", flush=True)
