/** Works through items in a few lanes: while one waits for the database, another computes. @yields as results come */
export async function* inLanes<Item, Out>(
  items: Iterable<Item>,
  lanes: number,
  work: (item: Item) => AsyncGenerator<Out>,
): AsyncGenerator<Out> {
  const left = items[Symbol.iterator]()
  const running = new Map<AsyncGenerator<Out>, Promise<Step<Out>>>()
  const advance = (of: AsyncGenerator<Out>) => {
    const step = of.next().then(result => ({ of, result }))
    // The first failure ends all of them.
    step.catch(() => undefined)
    running.set(of, step)
  }
  const begin = () => {
    const next = left.next()
    if (!next.done) advance(work(next.value))
  }
  for (let lane = 0; lane < lanes; lane++) begin()
  try {
    while (running.size > 0) {
      const { of, result } = await Promise.race(running.values())
      if (result.done) {
        running.delete(of)
        begin()
      } else {
        advance(of)
        yield result.value
      }
    }
  } finally {
    await Promise.allSettled([...running.keys()].map(of => of.return(undefined)))
  }
}

interface Step<Out> {
  readonly of: AsyncGenerator<Out>
  readonly result: IteratorResult<Out, unknown>
}
