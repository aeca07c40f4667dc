import type { Vehicle } from '../api/types.ts'
import { compareTexts } from '../language/language.ts'
import { type CarFacts, type CarState, carStateOf, type Health, type MovementKind } from './car-state.ts'
import { MOVEMENTS } from './state-marks.tsx'

/** A car as lists and the map show it. */
export interface Car {
  readonly id: string
  /** What people call it: the plate, else make and model, else VIN or IMEI. */
  readonly name: string
  readonly plate: string
  readonly vin: string
  readonly deviceId: number | null
  readonly makeAndModel: string
  /** As people have entered it; empty if nobody did. */
  readonly color: string
  /** Its group of cars, as people have entered it; empty if nobody did. */
  readonly group: string
  readonly state: CarState
  readonly headingDeg: number | undefined
  /** The trip in progress; empty when not driving. */
  readonly tripId: string
  readonly isHidden: boolean
  /** The instant of the past that this is about, and since when it did what it did; absent for now. */
  readonly past?: { readonly atMs: number; readonly sinceMs: number | undefined }
}

/**
 * Puts together what the service says of one car.
 *
 * @param name what it is called among the others (`ownNames`)
 */
export function carOf(facts: CarFacts, name = nameOf(facts.vehicle)): Car {
  const heading = facts.vehicle.lastEvents.find(({ eventType }) => eventType === 'GPS_COURSE')?.value
  const headingDeg = typeof heading === 'number' ? heading : undefined
  const { color = '' } = facts.vehicle
  return { ...entryOf(facts.vehicle, name), color, state: carStateOf(facts), headingDeg }
}

/** What lists say of a car beside what they are about. */
export type CarEntry = Omit<Car, 'color' | 'state' | 'headingDeg'>

export function entryOf(vehicle: Vehicle, name: string): CarEntry {
  const { id, vin, deviceId, tripId, group = '', licensePlate: plate, deleteTimestamp } = vehicle
  const makeAndModel = makeAndModelOf(vehicle)
  return { id, name, plate, vin, deviceId, makeAndModel, group, tripId, isHidden: deleteTimestamp !== null }
}

function makeAndModelOf({ make, model }: Vehicle): string {
  return [make, model].filter(Boolean).join(' ')
}

export function nameOf(vehicle: Vehicle): string {
  return vehicle.licensePlate || makeAndModelOf(vehicle) || vehicle.vin || numberOfCar(vehicle.id)
}

/** The VIN or IMEI of an id: what a car is called of which nothing else is known. */
export function numberOfCar(vehicleId: string): string {
  return vehicleId.replace(/^(VIN|IMEI_)/, '')
}

/** What people call a car; the VIN or IMEI of its id where the cars that are known do not have it. */
export function nameOfCar(cars: ReadonlyMap<string, Pick<Car, 'name'>>, vehicleId: string): string {
  return cars.get(vehicleId)?.name ?? numberOfCar(vehicleId)
}

export function needsAttention({ state }: Pick<Car, 'state'>): boolean {
  return state.health.kind === 'attention'
}

/** How many characters of a VIN or IMEI distinguish cars of the same name. */
const TOLD_APART_BY = 5

/** What each car is called among these: its name, with the end of its id where several have the same. */
export function ownNames(vehicles: Iterable<Vehicle>): (vehicle: Vehicle) => string {
  const counts = new Map<string, number>()
  for (const vehicle of vehicles) {
    const name = nameOf(vehicle)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return vehicle => {
    const name = nameOf(vehicle)
    return (counts.get(name) ?? 0) > 1 ? `${name} …${vehicle.id.slice(-TOLD_APART_BY)}` : name
  }
}

type Searched = Pick<Car, 'plate' | 'vin' | 'deviceId' | 'makeAndModel' | 'name'> &
  Partial<Pick<Car, 'color' | 'group'>>

/** What people write differently goes: case, accents, spaces, and the hyphens of plates. */
export function normalised(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\s\p{M}-]+/gu, '')
    .toLowerCase()
}

/** All that a row can be found by, one a line, so that no hit reaches from one into the next. */
export function searchable(said: readonly string[]): string {
  return said.map(normalised).join('\n')
}

/** Whether something that `searchable` made has every word that was typed. */
export function wordsIn(typed: string): (text: string) => boolean {
  const words = typed.split(/\s+/).map(normalised).filter(Boolean)
  return text => words.every(word => text.includes(word))
}

const searchedTexts = new WeakMap<Searched, string>()

function searchedText(car: Searched): string {
  const before = searchedTexts.get(car)
  if (before !== undefined) return before
  const { plate, vin, deviceId, makeAndModel, color = '', group = '', name } = car
  const text = searchable([plate, vin, String(deviceId ?? ''), makeAndModel, color, group, name])
  searchedTexts.set(car, text)
  return text
}

/** Whether plate, VIN, IMEI, make and model, colour or group contain what was typed; nothing typed finds every car. */
export function isFound(car: Searched, typed: string): boolean {
  const wanted = normalised(typed)
  return wanted === '' || searchedText(car).includes(wanted)
}

export const CAR_ORDERS = ['urgency', 'name', 'silence', 'energy'] as const
type CarOrder = (typeof CAR_ORDERS)[number]

/** What cars are compared by before their names: the less, the further in front. */
const ORDER_KEYS: Readonly<Record<CarOrder, (car: Car) => number>> = {
  urgency: car => (needsAttention(car) ? 0 : MOVEMENTS.length) + MOVEMENTS.indexOf(car.state.movement.kind),
  name: () => 0,
  silence: ({ state }) => state.newestMs ?? Number.NEGATIVE_INFINITY,
  // Litres of a tank of unknown size say less than a share; what is not known comes last.
  energy: ({ state: { energy } }) =>
    energy === undefined ? Number.MAX_VALUE : energy.unit === '%' ? energy.value : 100 + energy.value,
}

/** By urgency, those first that need attention, then by what they do, then by name. */
export function inOrder(cars: readonly Car[], order: CarOrder = 'urgency'): readonly Car[] {
  const keyOf = ORDER_KEYS[order]
  return [...cars].sort((a, b) => {
    const [one, other] = [keyOf(a), keyOf(b)]
    return one === other ? compareTexts(a.name, b.name) : one - other
  })
}

export interface CarFilter {
  readonly search: string
  readonly movement: MovementKind | undefined
  /** Only cars that need attention. */
  readonly isAttention: boolean
}

/** How many cars a filter would show, if it was the only one beside the search and the other kind of filter. */
interface FilterCounts {
  readonly movements: Readonly<Record<MovementKind, number>>
  /** Of every movement. */
  readonly all: number
  readonly attention: number
}

/**
 * The cars that the search and the filters show, on the map as in the list.
 *
 * @returns in the order in which `cars` come
 */
export function filtered(cars: readonly Car[], { search, movement, isAttention }: CarFilter) {
  const found = cars.filter(car => isFound(car, search))
  const urgent = isAttention ? found.filter(needsAttention) : found
  const moving = (of: readonly Car[]) =>
    movement === undefined ? of : of.filter(car => car.state.movement.kind === movement)
  const movements = Object.fromEntries(MOVEMENTS.map(kind => [kind, 0])) as Record<MovementKind, number>
  for (const car of urgent) movements[car.state.movement.kind] += 1
  const counts: FilterCounts = { movements, all: urgent.length, attention: moving(found).filter(needsAttention).length }
  return { shown: moving(urgent), counts }
}

export const CAR_GROUPINGS = ['none', 'movement', 'health', 'model', 'group'] as const
export type CarGrouping = (typeof CAR_GROUPINGS)[number]

/** What needs a look comes first. */
const HEALTHS = ['attention', 'unknown', 'forbidden', 'awaited', 'healthy'] as const satisfies readonly Health['kind'][]
const GROUP_ORDER: readonly string[] = [...MOVEMENTS, ...HEALTHS]

/** What the cars of a group have in common; texts are as people have entered them, and empty if nobody did. */
const GROUP_KEYS: Readonly<Record<Exclude<CarGrouping, 'none'>, (car: Car) => string>> = {
  movement: ({ state }) => state.movement.kind,
  health: ({ state }) => state.health.kind,
  model: ({ makeAndModel }) => makeAndModel,
  group: ({ group }) => group,
}

/**
 * Puts cars together that have something in common. Within a group they keep their order.
 *
 * @returns a group only where a car is in it, by what its cars have in common; those of which nothing is known last
 */
export function carGroups(cars: readonly Car[], by: Exclude<CarGrouping, 'none'>): readonly [string, readonly Car[]][] {
  const groups = new Map<string, Car[]>()
  for (const car of cars) {
    const key = GROUP_KEYS[by](car)
    const group = groups.get(key)
    if (group) group.push(car)
    else groups.set(key, [car])
  }
  return [...groups].sort(([one], [other]) =>
    by === 'movement' || by === 'health'
      ? GROUP_ORDER.indexOf(one) - GROUP_ORDER.indexOf(other)
      : Number(one === '') - Number(other === '') || compareTexts(one, other),
  )
}
