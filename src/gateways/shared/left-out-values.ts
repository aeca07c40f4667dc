import { Counter, type Registry } from 'prom-client'
import { type LeftOutCounts, MOST_NAMES, OTHER } from './tracker-attributes/left-out.ts'

/** Adds values without an event type, by their name in the protocol, to the metrics. */
export type ObserveLeftOut = (gateway: string, counts: LeftOutCounts) => void

/** @returns a function that gateways call with the values that they left out. */
export function observeLeftOutValues(registry: Registry): ObserveLeftOut {
  const leftOut = new Counter({
    name: 'tacho_left_out_values_total',
    help: 'Values received that no event type holds, by gateway and by their name in its protocol.',
    labelNames: ['gateway', 'name'] as const,
    registers: [registry],
  })
  const known = new Set<string>([OTHER])
  return (gateway, counts) => {
    let others = 0
    for (const [name, count] of counts) {
      if (known.size <= MOST_NAMES) known.add(name)
      if (known.has(name)) leftOut.inc({ gateway, name }, count)
      else others += count
    }
    if (others > 0) leftOut.inc({ gateway, name: OTHER }, others)
  }
}
