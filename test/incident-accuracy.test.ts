import { expect, it } from 'vitest'
import { measureIncidents } from '../lab/accuracy/incidents.ts'
import { kindNamed } from '../lab/simulation/kinds-of-dongles.ts'
import { deep } from './deep.ts'

const DEVICES = deep(5)

/** Of so few, one more or less is more than the share. */
const isHeld = (right: number, all: number, share: number) =>
  all - right <= Math.max(share === CLEAN ? 0 : 1, (1 - share) * all)

const CLEAN = 0.99
const DISTURBED = 0.95

it.each([
  ['everything', 10, false, 1],
  ['everything', 10, true, 1],
  ['everything', 10, true, 2],
  ['everything', 60, true, 1],
  ['ignition-positions', 60, false, 1],
] as const)(
  'incidents of simulated cars are found, and no others: %s every %i s, disturbed %s, drives %i',
  (name, cadenceS, isDisturbed, seed) => {
    const share = isDisturbed ? DISTURBED : CLEAN
    const scores = measureIncidents({ kind: kindNamed(name), cadenceS, isDisturbed, devices: DEVICES, seed })
    const figures = [...scores].map(([kind, { sure, matched, found, right }]) => ({
      kind,
      sure,
      matched,
      found,
      right,
    }))
    const broken = figures.filter(
      ({ sure, matched, found, right }) => !isHeld(matched, sure, share) || !isHeld(right, found, share),
    )
    expect(broken).toEqual([])
    expect(figures.reduce((sum, { sure }) => sum + sure, 0)).toBeGreaterThan(DEVICES * 15)
  },
)
