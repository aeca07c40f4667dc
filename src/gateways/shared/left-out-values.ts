import { Counter, type Registry } from 'prom-client'

/** Counts values without an event type, by their name in the protocol. */
export type CountLeftOut = (gateway: string, names: readonly string[]) => void

/** Names come from senders; at most this many are counted separately. */
const MOST_NAMES = 500
const OTHER = 'other'
const NAME = /^[\w.:-]{1,60}$/

/** @returns a function that gateways call with the names of values that they left out. */
export function observeLeftOutValues(registry: Registry): CountLeftOut {
  const leftOut = new Counter({
    name: 'tacho_left_out_values_total',
    help: 'Values received that no event type holds, by gateway and by their name in its protocol.',
    labelNames: ['gateway', 'name'] as const,
    registers: [registry],
  })
  const known = new Set<string>()
  return (gateway, names) => {
    let others = 0
    for (const name of names) {
      const isNew = !known.has(name)
      if (isNew && known.size < MOST_NAMES && NAME.test(name)) known.add(name)
      if (known.has(name)) leftOut.inc({ gateway, name })
      else others++
    }
    if (others > 0) leftOut.inc({ gateway, name: OTHER }, others)
  }
}
