import type { DongleKindName } from './dongle-kinds.ts'
import type { ModelName } from './models.ts'
import type { OccupationName } from './occupations.ts'
import type { TownName } from './towns.ts'

/** Which cars are in the fleet, and their dongles. */
export interface Role {
  readonly occupation: OccupationName
  /** Any of the towns unless it is named. */
  readonly town?: TownName
  readonly models: readonly [ModelName, ...ModelName[]]
  readonly dongles: readonly [DongleKindName, ...DongleKindName[]]
  readonly lastingCode?: string
  readonly restingVolts?: number
}

const GOOD = ['reads everything', 'reads everything', 'every ten seconds'] as const
const ANY = ['reads everything', 'every ten seconds', 'no odometer', 'feels motion only'] as const

/** The cars of a fleet one after the other, and then again: twelve of them are somewhere on the road at any hour. */
export const ROLES: readonly [Role, ...Role[]] = [
  { occupation: 'taxi by day', town: 'Karlsruhe', models: ['e-class', 'octavia'], dongles: GOOD },
  { occupation: 'commuter', town: 'Karlsruhe', models: ['id.3', 'zoe'], dongles: GOOD },
  { occupation: 'taxi by night', town: 'Karlsruhe', models: ['e-class', 'octavia'], dongles: GOOD },
  {
    occupation: 'trades',
    town: 'Karlsruhe',
    models: ['transit', 'transporter'],
    dongles: ['reads everything'],
    lastingCode: 'P0420',
  },
  { occupation: 'delivery', models: ['evito'], dongles: GOOD },
  { occupation: 'commuter', models: ['golf', 'clio'], dongles: ANY },
  // Its battery is old: on a cold morning it is worth a warning.
  { occupation: 'commuter', models: ['golf', 'octavia'], dongles: ['reads everything'], restingVolts: 11.6 },
  { occupation: 'night shift', models: ['clio', 'golf'], dongles: ANY },
  { occupation: 'commuter', town: 'Ann Arbor', models: ['fusion'], dongles: GOOD },
  { occupation: 'delivery', models: ['transporter', 'transit'], dongles: ANY },
  { occupation: 'trades', models: ['transporter', 'evito'], dongles: ['no odometer'] },
  { occupation: 'commuter', models: ['zoe', 'id.3'], dongles: ['feels motion only', 'reads everything'] },
]

const COURIERS: readonly OccupationName[] = [
  'courier, off in the morning',
  'courier, off in the afternoon',
  'courier, off at night',
]

/** What the battery of an electric car would not last for. */
const COMBUSTION: readonly [ModelName, ...ModelName[]] = ['transporter', 'clio']
const STAY_AS_THEY_ARE: ReadonlySet<number> = new Set([1, 4])

/** The cars of the demonstration: all of one town, and at least a third of them drive whenever somebody looks. */
export const DEMO_ROLES = ROLES.map((role, index): Role => {
  const here = { ...role, town: 'Karlsruhe' } as const
  if (STAY_AS_THEY_ARE.has(index)) return here
  const occupation = COURIERS[index % COURIERS.length] ?? role.occupation
  return { ...here, occupation, models: index > 9 ? COMBUSTION : role.models }
})
