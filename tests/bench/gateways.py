"""tests/bench/gateways.py - the cost of several gateways for the same accounts, and of one that
joins.

Both gateways' batches meet in the rows of a hundred accounts all the time. One gateway is called,
then two, in turns, without the edge, which would send all calls of one address to one gateway.
Then, behind the edge, the busier gateway restarts and joins during the load on the other: nothing
may break, and clients notice the 99th percentile.
"""

from concurrent.futures import ThreadPoolExecutor

from kit.load import metric

ACCOUNTS = 100
METRICS = {"busy": "tollgate_ledger_lock_conflicts_total", "batches": "tollgate_ledger_transactions_total", "items": "tollgate_ledger_items_total"}


def ledger_work(stack):
    """What the gateways' ledgers have done so far, in total."""
    return {key: sum(metric(stack, name, what) for name in stack.parts if name.startswith("gateway-"))
            for key, what in METRICS.items()}


def with_conflicts(stack, load):
    before = ledger_work(stack)
    result = load()
    return result | {key: count - before[key] for key, count in ledger_work(stack).items()}


def while_one_joins(stack, load):
    """The load, during the start of the gateway that has had most of it so far."""
    busiest = max((name for name in stack.parts if name.startswith("gateway-")),
                  key=lambda name: metric(stack, name, METRICS["items"]))
    stack.parts[busiest].stop()
    with ThreadPoolExecutor() as pool:
        result = pool.submit(load)
        stack.start_part(busiest)  # here, because a part exits with the thread that started it
        return result.result()


def tell_conflicts(load):
    print(f"    {load['busy'] / load['items']:.2%} of the items waited for the other gateway   "
          f"{load['items'] / load['batches']:.1f} items a batch", flush=True)
