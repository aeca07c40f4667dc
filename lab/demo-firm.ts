import type { Lab } from '../src/cli/lab.ts'
import FIRM from './demo-firm.json' with { type: 'json' }
import { type Habit, type Occupation, type Outing, round, type Town } from './simulation/fleet/occupations.ts'
import type { Role } from './simulation/fleet/virtual-fleet.ts'

type NamedHabit = Omit<Habit, 'outings'> & { readonly outings: readonly string[] }

interface Firm extends Pick<Occupation, 'places'> {
  readonly roads: number
  readonly town: Town
  readonly outings: Readonly<Record<string, Outing>>
  readonly occupations: Readonly<
    Record<string, { readonly dayBreakMin: number; readonly habits: readonly NamedHabit[] }>
  >
  readonly cars: readonly (Omit<Role, 'occupation'> & { readonly occupation: string; readonly group: string })[]
  readonly areas: Lab['demoAreas']
  readonly rules: readonly (ReturnType<Lab['demoRules']>[number] & {
    readonly group?: string
    readonly area?: string
  })[]
}

/** It looks after buildings: vans on workdays, patrols at night and on weekends, so that somebody is always on the road. */
const { roads, town, occupations, areas, cars, rules, ...firm } = FIRM as unknown as Firm
const [north, south] = [round('north', 12, [1.5, 2], [1, 2]), round('south', 12, [1.5, 2], [1, 2])]
const places = { ...firm.places, ...north.places, ...south.places }
const outings: Readonly<Record<string, Outing>> = { ...firm.outings, north: north.outing, south: south.outing }

/** In the order of their plates. */
export const FIRM_CARS = cars.map(car => {
  const { dayBreakMin = 0, habits = [] } = occupations[car.occupation] ?? {}
  const named = habits.map(habit => ({ ...habit, outings: habit.outings.map(name => outings[name]) }))
  return { town, ...car, occupation: { dayBreakMin, roads, places, habits: named as readonly unknown[] as Habit[] } }
})

export const FIRM_AREAS = areas
export const firmRules: Lab['demoRules'] = (areaIds, fleet) =>
  rules.map(({ group, area, ...rule }) => {
    const areasOf = area && { areas: areaIds.filter((_, i) => areas[i]?.name === area) }
    const members = fleet.filter(car => car.group === group).map(({ id }) => id)
    return { ...rule, parameters: { ...rule.parameters, ...areasOf }, vehicleIds: group ? members : null }
  })
