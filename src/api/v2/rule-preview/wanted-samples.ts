import type { Occasion } from '../../../derive/incidents/derive/detector.ts'
import {
  type AreaVersion,
  areaIdsOf,
  type RuleBook,
  type RuleVersion,
} from '../../../derive/incidents/derive/rule-book.ts'
import { measuredShape, widened } from '../../../model/areas/measured-shape.ts'
import type { WantedSamples } from '../../../store/occasions/read-occasions.ts'
import type { Box } from '../../../store/occasions/sealed-fixes-in.ts'

/** More of them cost more than they leave out: one about all of them is as good. */
const MOST_BOXES = 3
/** For the rounding of degrees. */
const MARGIN_M = 1
/** Nearer to the antimeridian, longitudes do not compare. */
const MOST_LONGITUDE = 179.9

/** The samples at which a rule may find something. */
export function wantedSamples(
  { types, above, below, isInArea, moved }: Occasion,
  rule: RuleVersion,
  { areas }: Pick<RuleBook, 'areas'>,
): WantedSamples {
  return { types, above, below, boxes: isInArea ? boxesOf(namedBy(rule, areas)) : undefined, moved }
}

function namedBy(rule: RuleVersion, areas: readonly AreaVersion[]): readonly AreaVersion[] {
  const ids = areaIdsOf(rule) ?? []
  return areas.filter(
    area => (ids.length === 0 || ids.includes(area.areaId)) && area.fromMs < rule.toMs && area.toMs > rule.fromMs,
  )
}

function boxesOf(areas: readonly AreaVersion[]): readonly Box[] | undefined {
  const boxes = areas.map(({ shape }) => widened(measuredShape(shape).bounds, MARGIN_M))
  if (boxes.some(({ west, east }) => west < -MOST_LONGITUDE || east > MOST_LONGITUDE)) return undefined
  if (boxes.length <= MOST_BOXES) return boxes
  const edge = (pick: (box: Box) => number, of: typeof Math.min) => boxes.map(pick).reduce((a, b) => of(a, b))
  return [
    {
      west: edge(box => box.west, Math.min),
      south: edge(box => box.south, Math.min),
      east: edge(box => box.east, Math.max),
      north: edge(box => box.north, Math.max),
    },
  ]
}
