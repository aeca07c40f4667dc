import type { Position } from '../../../src/model/sample.ts'
import { chance, type Dice, diceOf } from '../chance.ts'
import { type Car, type Dongle, type DongleKind, dongleOf } from '../dongle.ts'
import type { DrivingStyle } from '../drive-plan.ts'
import { moved } from '../ground.ts'
import { imeiOf, vinOf } from '../imei.ts'
import { type KindName, kindNamed } from '../kinds-of-dongles.ts'
import type { FleetFault } from './fleet-faults.ts'
import { OCCUPATIONS, type Occupation, type OccupationName, TOWNS, type Town, type TownName } from './occupations.ts'

export interface FleetOptions {
  /** At most 1,000,000; seeds are told apart by their IMEIs up to 10,000. */
  readonly vehicles: number
  readonly seed: number
  readonly faults: ReadonlySet<FleetFault>
  /** Cars are stolen from, towed, left running and more (`../happenings/`), at a rare rate. */
  readonly hasHappenings?: boolean
  /** The roles of the fleet, used in turns, instead of the usual ones. */
  readonly roles?: readonly Role[]
  readonly dongles?: readonly KindName[]
  readonly intervalS?: number
  /** In so many of the cars, the first ones, is a second dongle, of another kind where there are several; none of the two moves. */
  readonly twoDongles?: number
}

export interface VirtualCar {
  readonly car: Car
  readonly model: Model
  readonly plate: string
  readonly occupation: Occupation
  readonly home: Position
  readonly utcOffsetMin: number
  readonly firstOdometerM: number
  readonly style: DrivingStyle
  readonly lastingCode: string | undefined
  /** How likely another fault is in each time that may have one. */
  readonly faultShare: number
  readonly seed: number
}

export interface VirtualDongle {
  readonly dongle: Dongle
  readonly kind: string
  /** In which cars it is: one, or two in turns (`carOn`). */
  readonly cars: readonly [VirtualCar, ...VirtualCar[]]
  /** Another dongle is in its car all the time and reports the same drives. */
  readonly isSecond: boolean
  /** Two dongles take turns in its place, and which of them it is; undefined: it is never replaced. */
  readonly turn: 0 | 1 | undefined
  readonly faults: ReadonlySet<FleetFault>
  readonly hasHappenings: boolean
  readonly seed: number
}

/** The same options give the same fleet. @returns a dongle of each car, then the second ones, then the replacements */
export function virtualFleet(options: FleetOptions): readonly VirtualDongle[] {
  const { vehicles, seed, faults, hasHappenings = false, twoDongles = 0 } = options
  const seconds = Array.from({ length: Math.min(twoDongles, vehicles) }, (_, i) => secondKindOf(i, options))
  const places = Array.from({ length: vehicles }, (_, i) => {
    const chosen = kindOf(i, options)
    const isHybrid = chosen.isHybrid || (seconds[i]?.isHybrid ?? false)
    return { chosen, car: virtualCar(roleOf(i, options), i, seed, isHybrid) }
  })
  const dongle = (place: Place, { name, kind }: ChosenKind, i: number, cars: VirtualDongle['cars']): VirtualDongle => ({
    dongle: dongleOf(imeiOf(TACS[place], serialOf(i, seed)), kind),
    kind: name,
    cars,
    isSecond: place === 'second',
    turn: place === 'second' || !faults.has('replaced') ? undefined : place === 'first' ? 0 : 1,
    faults,
    hasHappenings,
    seed: place === 'first' ? cars[0].seed : Math.floor(chance(cars[0].seed, Number(TACS[place])) * 2 ** 31),
  })
  const partnerOf = (i: number) => (i % 2 === 0 ? i + 1 : i - 1)
  const mayMove = (i: number) => faults.has('moved') && Math.min(i, partnerOf(i)) >= twoDongles
  const firsts = (place: Place) =>
    places.map(({ chosen, car }, i) => {
      const partner = mayMove(i) ? places[partnerOf(i)] : undefined
      return dongle(place, chosen, i, partner ? [car, partner.car] : [car])
    })
  return [
    ...firsts('first'),
    ...seconds.flatMap((chosen, i) => (places[i] ? [dongle('second', chosen, i, [places[i].car])] : [])),
    ...(faults.has('replaced') ? firsts('replacement') : []),
  ]
}

type Place = 'first' | 'second' | 'replacement'

/** Type allocation codes of the dongles; no recording that is replayed has one of them. */
const TACS: Readonly<Record<Place, string>> = { first: '35730208', second: '35730209', replacement: '35730210' }

interface ChosenKind {
  readonly name: string
  readonly kind: DongleKind
  readonly isHybrid: boolean
}

const USUAL_FIX_S = 5

function roleOf(index: number, { roles = ROLES }: FleetOptions): Role {
  return roles[index % roles.length] ?? ROLES[0]
}

function kindOf(index: number, options: FleetOptions): ChosenKind {
  const { seed, dongles = [] } = options
  const wished = dongles[index % dongles.length]
  if (wished !== undefined) return wishedKind(wished, options)
  return usualKind(diceOf(seed, index, 112).oneOf(roleOf(index, options).dongles), options)
}

/** Those that read the VIN, so that the service knows by itself which car they are in. */
const USUAL_SECONDS = ['no odometer', 'every ten seconds', 'reads everything'] as const

function secondKindOf(index: number, options: FleetOptions): ChosenKind {
  const { dongles = [] } = options
  const wished = dongles[(index + 1) % dongles.length]
  if (wished !== undefined) return wishedKind(wished, options)
  const first = kindOf(index, options).name
  const others = USUAL_SECONDS.filter(name => name !== first)
  return usualKind(others[index % others.length] ?? USUAL_SECONDS[0], options)
}

function wishedKind(name: KindName, { intervalS = USUAL_FIX_S }: FleetOptions): ChosenKind {
  const { kind, isHybrid = false } = kindNamed(name)
  return { name, kind: { ...kind, fixS: intervalS }, isHybrid }
}

function usualKind(name: DongleKindName, { intervalS }: FleetOptions): ChosenKind {
  const kind = DONGLE_KINDS[name]
  return { name, kind: { ...kind, fixS: intervalS ?? kind.fixS }, isHybrid: false }
}

const CARS_OF_A_SEED = 10_000

function serialOf(index: number, seed: number): number {
  return ((seed % 100) * CARS_OF_A_SEED + index) % 1_000_000
}

const HOME_WITHIN_M = 3500
const SHARE_WITH_FAULT = 0.45

function virtualCar(role: Role, index: number, fleetSeed: number, isHybrid: boolean): VirtualCar {
  const dice = diceOf(fleetSeed, index, 111)
  const usual = MODELS[dice.oneOf(role.models)]
  const model = isHybrid && usual.engine === 'electric' ? MODELS.octavia : usual
  const named = typeof role.town === 'object' ? role.town : TOWNS.find(({ name }) => name === role.town)
  const town: Town = named ?? dice.oneOf<Town>(TOWNS)
  const { homesWithinM = HOME_WITHIN_M } = town
  const away = { eastM: dice.between(-1, 1) * homesWithinM, northM: dice.between(-1, 1) * homesWithinM }
  const serial = serialOf(index, fleetSeed)
  return {
    car: carOf(model, serial, dice, role, isHybrid),
    model,
    plate: plateOf(town, serial),
    occupation: typeof role.occupation === 'object' ? role.occupation : OCCUPATIONS[role.occupation],
    home: moved(town.centre, away),
    utcOffsetMin: town.utcOffsetMin,
    firstOdometerM: dice.whole(4_000_000, 120_000_000),
    // Most drivers are calm, a few are not.
    style: {
      harshShare: 0.06 * dice.between(0, 1) ** 3,
      speedFactor: dice.between(0.94, 1.1) * (role.speedFactor ?? 1),
    },
    lastingCode: role.lastingCode,
    faultShare: role.faultShare ?? SHARE_WITH_FAULT,
    seed: dice.whole(0, 2 ** 31 - 1),
  }
}

/** A plate as the town has them, with a number that follows from the serial number and begins with no zero. */
function plateOf({ plate }: Town, serial: number): string {
  const least = 10 ** (plate.split('#').length - 2)
  const digits = String(least + (serial % (9 * least)))
  return plate.replace(/#+/, digits)
}

function carOf(model: Model, serial: number, dice: Dice, role: Role, isHybrid: boolean): Car {
  const { restingVolts, chargePercentPerHour } = role
  return {
    vin: vinOf(model.vinStart, `${model.vinYearAndPlant}${String(serial).padStart(6, '0')}`),
    engine: model.engine,
    ...(isHybrid && { isHybrid }),
    capacity: model.capacity,
    rangeKm: model.rangeKm,
    ...(chargePercentPerHour && { chargePercentPerHour }),
    restingVolts: restingVolts ?? dice.between(12.4, 12.7),
    odometerStepM: dice.oneOf([1, 100, 100, 1000] as const),
  }
}

interface Model {
  readonly make: string
  readonly name: string
  readonly vinStart: string
  /** Tenth and eleventh character of its VINs: model year and plant. */
  readonly vinYearAndPlant: string
  readonly engine: Car['engine']
  readonly capacity: number
  readonly rangeKm: number
}

function modelOf(
  make: string,
  name: string,
  [vinStart, vinYearAndPlant]: readonly [vinStart: string, vinYearAndPlant: string],
  engine: Car['engine'],
  { capacity, rangeKm }: Pick<Car, 'capacity' | 'rangeKm'>,
): Model {
  return { make, name, vinStart, vinYearAndPlant, engine, capacity, rangeKm }
}

const MODELS = {
  golf: modelOf('Volkswagen', 'Golf', ['WVWZZZAU', 'LP'], 'combustion', { capacity: 50, rangeKm: 780 }),
  octavia: modelOf('Škoda', 'Octavia', ['TMBJG7NE', 'K0'], 'combustion', { capacity: 50, rangeKm: 820 }),
  clio: modelOf('Renault', 'Clio', ['VF1RJA00', 'M6'], 'combustion', { capacity: 42, rangeKm: 710 }),
  'e-class': modelOf('Mercedes-Benz', 'E-Class', ['WDD21300', 'KA'], 'combustion', { capacity: 66, rangeKm: 850 }),
  transporter: modelOf('Volkswagen', 'Transporter', ['WV1ZZZ7H', 'LH'], 'combustion', { capacity: 70, rangeKm: 760 }),
  transit: modelOf('Ford', 'Transit', ['WF0PXXGC', 'PK'], 'combustion', { capacity: 70, rangeKm: 740 }),
  fusion: modelOf('Ford', 'Fusion', ['3FA6P0H7', 'JR'], 'combustion', { capacity: 62, rangeKm: 760 }),
  'id.3': modelOf('Volkswagen', 'ID.3', ['WVWZZZE1', 'MP'], 'electric', { capacity: 58, rangeKm: 360 }),
  zoe: modelOf('Renault', 'Zoe', ['VF1AG000', 'L6'], 'electric', { capacity: 52, rangeKm: 330 }),
  kangoo: modelOf('Renault', 'Kangoo Z.E.', ['VF1FW000', 'K6'], 'electric', { capacity: 33, rangeKm: 150 }),
  evito: modelOf('Mercedes-Benz', 'eVito', ['WDF44770', 'N3'], 'electric', { capacity: 60, rangeKm: 260 }),
}

type ModelName = keyof typeof MODELS

export interface Role {
  readonly occupation: OccupationName | Occupation
  /** Any of the towns unless it is named. */
  readonly town?: TownName | Town
  readonly models: readonly [ModelName, ...ModelName[]]
  readonly dongles: readonly [DongleKindName, ...DongleKindName[]]
  readonly lastingCode?: string
  readonly faultShare?: number
  readonly restingVolts?: number
  readonly chargePercentPerHour?: number
  /** Of how fast others drive. */
  readonly speedFactor?: number
}

const GOOD = ['reads everything', 'reads everything', 'every ten seconds'] as const
const ANY = ['reads everything', 'every ten seconds', 'no odometer', 'feels motion only'] as const

/** The cars of a fleet one after the other, and then again: twelve of them are somewhere on the road at any hour. */
const ROLES: readonly [Role, ...Role[]] = [
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

const DONGLE_KINDS = {
  'reads everything': { awareness: 'ignition', readsOdometer: true, readsSpeed: true, readsVin: true, fixS: 5 },
  'every ten seconds': { awareness: 'ignition', readsOdometer: true, readsSpeed: true, readsVin: true, fixS: 10 },
  'no odometer': { awareness: 'ignition', readsOdometer: false, readsSpeed: true, readsVin: true, fixS: 5 },
  'feels motion only': { awareness: 'motion', readsOdometer: false, readsSpeed: false, readsVin: false, fixS: 5 },
} as const satisfies Readonly<Record<string, DongleKind>>

type DongleKindName = keyof typeof DONGLE_KINDS
