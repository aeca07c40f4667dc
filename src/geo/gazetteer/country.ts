import type { Position } from '../../model/sample.ts'
import { outlineOf } from '../outlines/country-codes.ts'
import type { Outlines } from '../outlines/outlines.ts'
import type { NearbyPlace } from './place-file.ts'

/*
 * Outlines are half a kilometre wrong or so, and now and then two; places are right, but a position between two may belong
 * to the farther one. With these values the fewest of some 2,500 known places near borders get a wrong country
 * (docs/adr/0018).
 */

/** So near to a place its country is believed, ... */
const BESIDE_PLACE_KM = 0.95
/** ... and less near, the farther the border is: by this share of the distance. */
const SHARE_OF_BORDER = 0.2
/** Farther than this from any border, outlines are wrong about a place only because they mean something else. */
const WRONG_BY_KM = 3

/**
 * In the outline of which country a position is (see `outlineOf`), by the outlines and by the nearest place.
 * @returns undefined where the outlines tell nothing: at sea.
 */
export function outlineAt(position: Position, nearest: NearbyPlace, outlines: Outlines): string | undefined {
  const outline = outlines.countryAt(position)
  const ofPlace = outlineOf(nearest.place.country)
  if (outline === undefined || outline === ofPlace) return outline
  const borderKm = outlines.borderKm(position, BESIDE_PLACE_KM / SHARE_OF_BORDER)
  if (nearest.distanceKm + SHARE_OF_BORDER * borderKm < BESIDE_PLACE_KM) return ofPlace
  // Where the outlines are wrong about the place in the same way, they are so about what is around it: the border is
  // drawn in another place, or to whom the land belongs is disputed.
  if (outlines.countryAt(nearest.position) !== outline) return outline
  const wrongByKm = outlines.borderKm(nearest.position, WRONG_BY_KM)
  return wrongByKm >= borderKm || wrongByKm > WRONG_BY_KM ? ofPlace : outline
}
