import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { ask } from '../api/request.ts'
import { useNameAt } from '../areas/areas-query.ts'
import { type Car, isFound } from '../fleet/car.ts'
import type { Place } from '../fleet/car-state.ts'
import { reasonText } from '../fleet/state-marks.tsx'
import { useLanguage, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { shortAddress } from '../trips/short-address.ts'

/** What lists of cars say beside what the fleet knows: asked for all cars at once, never for each row. */
export interface CarDetails {
  /** The area of the account in which a car is, else suburb or town; empty for one that is nowhere. */
  readonly placeOf: (car: Car) => string
  /** The suburb or town with what it is in; empty where the service knows none. */
  readonly addressOf: (car: Car) => string
  /** When the trip ended that brought it to where it is, in milliseconds; of cars that drove lately. */
  readonly tripEnds: ReadonlyMap<string, number>
}

/** Cars that drive come into another town every few minutes. */
const ASK_AGAIN_MS = 30_000

/** An instant of the past at which the map stays so long is worth asking for. */
const SETTLED_MS = 500

/** As many as the service names in one request. */
const MOST_POSITIONS = 250

/** As many trips as say of nearly all cars when they came; one that stands for longer is not said to be parked since when. */
const MOST_TRIPS = 1000

/** About 100 m, in digits of degrees. */
const DIGITS = 3

/** @param isWanted whether they may be asked for yet */
export function useCarDetails(cars: readonly Car[] | undefined, isWanted: boolean): CarDetails {
  const nameAt = useNameAt()
  const towns = useTowns(cars, isWanted)
  const tripEnds = useTripEnds(isWanted)
  return useMemo((): CarDetails => {
    const areaOf = remembered((place: Place) =>
      place.kind === 'at' ? nameAt({ lat: place.latitude, lon: place.longitude }) : '',
    )
    return {
      placeOf: ({ id, state }) => areaOf(state.place) || (towns.get(id)?.name ?? ''),
      addressOf: ({ id }) => towns.get(id)?.address ?? '',
      tripEnds,
    }
  }, [nameAt, towns, tripEnds])
}

/** The same function, which does its work once for each object. */
function remembered<Of extends object, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const known = new WeakMap<Of, { readonly made: Made }>()
  return of => {
    const before = known.get(of)
    if (before) return before.made
    const made = make(of)
    known.set(of, { made })
    return made
  }
}

/** Where a car was when it was asked about, and how that is called: in a word, and in full. */
interface Town {
  readonly position: string
  readonly name: string
  readonly address: string
}

const NO_TOWNS: ReadonlyMap<string, Town> = new Map()

/** Suburb or town by car, as far as the service knows without asking anybody; of one that drove on since, where it was. */
function useTowns(cars: readonly Car[] | undefined, isWanted: boolean): ReadonlyMap<string, Town> {
  const language = useLanguage()
  const mayReadPositions = useMay('positions')
  const { data = NO_TOWNS, refetch } = useQuery({
    queryKey: ['towns', language],
    enabled: isWanted && mayReadPositions,
    refetchInterval: ASK_AGAIN_MS,
    queryFn: async ({ client, signal }): Promise<ReadonlyMap<string, Town>> => {
      const before = client.getQueryData<ReadonlyMap<string, Town>>(['towns', language]) ?? NO_TOWNS
      const positions = (cars ?? []).flatMap(({ id, state: { place } }): [string, string][] =>
        place.kind === 'at' ? [[id, `${place.latitude.toFixed(DIGITS)},${place.longitude.toFixed(DIGITS)}`]] : [],
      )
      const towns = new Map([...before.values()].map(town => [town.position, town]))
      const unknown = [...new Set(positions.map(([, position]) => position))].filter(position => !towns.has(position))
      for (let first = 0; first < unknown.length; first += MOST_POSITIONS) {
        const asked = unknown.slice(first, first + MOST_POSITIONS)
        const { addresses } = await ask('GET /cc/v2.0/addresses', { query: { positions: asked.join(';') }, signal })
        for (const [index, place] of addresses.entries()) {
          const position = asked[index] ?? ''
          towns.set(position, { position, name: place.suburb || place.locality, address: shortAddress(place) })
        }
      }
      return new Map(
        positions.flatMap(([id, position]) => {
          const town = towns.get(position)
          return town ? [[id, town]] : []
        }),
      )
    },
  })
  const thenMs = cars?.[0]?.past?.atMs
  useEffect(() => {
    const timer = thenMs === undefined ? undefined : setTimeout(() => void refetch(), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [thenMs, refetch])
  return data
}

interface TripEnds {
  readonly byCar: ReadonlyMap<string, number>
  readonly changedTimestamp: string | undefined
}

const NO_TRIPS: TripEnds = { byCar: new Map(), changedTimestamp: undefined }

/** Without positions, so that the security log does not say that somebody read where all cars had been; later only what changed. */
function useTripEnds(isWanted: boolean): ReadonlyMap<string, number> {
  const mayReadTrips = useMay('trips')
  const { data = NO_TRIPS } = useQuery({
    // As all trips: asked again when one changes.
    queryKey: ['trips', 'ends'],
    enabled: isWanted && mayReadTrips,
    queryFn: async ({ client, signal }): Promise<TripEnds> => {
      const before = client.getQueryData<TripEnds>(['trips', 'ends']) ?? NO_TRIPS
      const since = before.changedTimestamp === undefined ? {} : { filterTimestamp: before.changedTimestamp }
      const query = { ...since, maxResults: MOST_TRIPS, positions: false }
      const { trips } = await ask('GET /cc/v2.0/trips', { query, signal })
      const byCar = new Map(before.byCar)
      for (const { vehicleId, tripEndTimestamp } of trips)
        byCar.set(vehicleId, Math.max(byCar.get(vehicleId) ?? 0, Date.parse(tripEndTimestamp)))
      const changes = trips.map(trip => trip.modifyTimestamp)
      return { byCar, changedTimestamp: [before.changedTimestamp ?? '', ...changes].sort().at(-1) || undefined }
    },
  })
  return data.byCar
}

/** The cars of which a row shows what was typed: plate, name and numbers, place, state, fault codes. */
export function useFound(cars: readonly Car[] | undefined, typed: string, { placeOf }: CarDetails) {
  const states = useTexts('carState')
  const searched = useMemo(
    () =>
      remembered((car: Car): Car => {
        const { movement, health } = car.state
        const reasons = health.kind === 'attention' ? health.reasons : []
        const words = [
          car.group,
          placeOf(car),
          states.movements[movement.kind],
          ...(reasons.length > 0 ? [states.needsAttention] : []),
          ...reasons.flatMap(reason => [reasonText(reason), ...(reason.kind === 'codes' ? reason.codes : [])]),
        ]
        // Apart by what nobody types, so that no hit reaches from one into the next.
        return { ...car, group: words.join('|') }
      }),
    [placeOf, states],
  )
  return useMemo(
    () => (typed.trim() === '' ? cars : cars?.filter(car => isFound(searched(car), typed))),
    [cars, typed, searched],
  )
}
