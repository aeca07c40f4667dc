import type { NearbyPlace, Place } from './place-file.ts'

/** Where a position is, as far as places on a map tell. */
interface Settlement {
  readonly locality: Place
  readonly suburb: Place | undefined
}

/**
 * The place that a position belongs to, and the section of it. The data has points, no borders, so a place is taken to
 * reach as far as its population usually does; where none reaches, the nearest place names the position.
 * @param nearby the nearest places, and larger ones further away, the nearest first
 * @returns undefined when there is only a section whose place is not among them
 */
export function settlementAt(nearby: readonly NearbyPlace[]): Settlement | undefined {
  const [nearest] = nearby
  if (!nearest) return undefined
  // A city across the border is closer than its own suburb in relation to its size, but not the answer.
  const compatriots = nearby.filter(({ place }) => place.country === nearest.place.country)
  const section = compatriots.find(candidate => candidate.place.isSection && isInsideSection(candidate))
  const places = compatriots.filter(({ place }) => !place.isSection)
  const whole = section && placeOfSection(section.place, places)
  const locality =
    (section && whole && section === nearest ? whole : undefined) ??
    closestInRelation(places.filter(isInsidePlace)) ??
    (nearest.place.isSection ? placeOfSection(nearest.place, places) : places[0])
  if (!locality) return undefined
  return { locality: locality.place, suburb: whole === locality ? section?.place : undefined }
}

/** The place that a section belongs to: the largest one of its municipality, else the one it is most likely in. */
function placeOfSection(section: Place, places: readonly NearbyPlace[]): NearbyPlace | undefined {
  const larger = places.filter(({ place }) => place.population >= section.population)
  const sameState = larger.filter(({ place }) => place.stateCode === section.stateCode)
  const sameMunicipality = sameState.filter(
    ({ place }) => section.municipality !== '' && place.municipality === section.municipality,
  )
  return largest(sameMunicipality) ?? closestInRelation(sameState) ?? closestInRelation(larger)
}

function largest(places: readonly NearbyPlace[]): NearbyPlace | undefined {
  return places.reduce<NearbyPlace | undefined>(
    (best, place) => (best && best.place.population >= place.place.population ? best : place),
    undefined,
  )
}

/** The one with the smallest distance in relation to its reach. */
function closestInRelation(places: readonly NearbyPlace[]): NearbyPlace | undefined {
  const relation = ({ place, distanceKm }: NearbyPlace) => distanceKm / reachKm(place.population)
  return places.reduce<NearbyPlace | undefined>(
    (best, place) => (best && relation(best) <= relation(place) ? best : place),
    undefined,
  )
}

function isInsidePlace({ place, distanceKm }: NearbyPlace): boolean {
  return distanceKm <= reachKm(place.population)
}

/**
 * How far a place reaches from its centre: a circle with about 4,000 people per km², and 900 m around the smallest; the
 * largest are denser. Berlin 15 km, Munich 10, Karlsruhe 5, a town of 10,000 people 1.8.
 */
function reachKm(population: number): number {
  return Math.min(15, 0.9 + 0.0085 * Math.sqrt(population))
}

/** Sections are denser than whole places; and a wrong suburb is worse than none, which few cities have complete. */
function isInsideSection({ place, distanceKm }: NearbyPlace): boolean {
  return distanceKm <= 0.5 + 0.006 * Math.sqrt(place.population)
}
