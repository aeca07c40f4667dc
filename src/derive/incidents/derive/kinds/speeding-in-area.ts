import { requiredEventType } from '../../../../catalogue/event-types.ts'
import { detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import type { Finding } from '../finding.ts'
import type { Moment } from '../moment.ts'
import { packSpellIfAny, unpackSpellIfAny } from '../packed-spell.ts'
import { packing } from '../packing.ts'
import { type AreaVersion, areaIdsOf } from '../rule-book.ts'
import { endedSpell, openSpell, type Spell } from '../spell.ts'
import { LONGEST_DRIVING_GAP_MS } from './bounds.ts'
import { isSpeeding, speedLimitOf, stepSpeeding } from './speeding.ts'

/** In which area the car is, and what may be speeding there. */
type InArea = { readonly areaId: number; readonly version: number; readonly spell: Spell | null }

const IN_AREA_PACKING = packing(
  ({ areaId, version, spell }: InArea, origin) => [areaId, version, packSpellIfAny(spell, origin)] as const,
  ([areaId, version, spell], origin) => ({ areaId, version, spell: unpackSpellIfAny(spell, origin) }),
)

const POSITION = requiredEventType('POSITION').id

/** Speeding with the limit of an area: within its border, as the fixes say. Of areas that overlap, the first one counts. */
export const speedingInArea: KindOfRule = rule => {
  const limit = speedLimitOf(rule)
  const ids = new Set(areaIdsOf(rule))
  const areaAt = ({ near }: Moment, inside: InArea | null) => {
    let first: AreaVersion | undefined
    for (const { area, signedDistanceM } of near) {
      if (signedDistanceM > 0 || (ids.size > 0 && !ids.has(area.areaId))) continue
      if (area.areaId === inside?.areaId && area.version === inside.version) return area
      first ??= area
    }
    return first
  }
  const found = ({ areaId, spell }: InArea): Finding[] =>
    spell && isSpeeding(spell, limit) ? [{ ...endedSpell(spell), areaId }] : []
  return detector<InArea>({
    begins: [POSITION],
    occasion: { types: [POSITION], isInArea: true, needs: 'motion' },
    longestGapMs: LONGEST_DRIVING_GAP_MS,
    packing: IN_AREA_PACKING,
    step(inside, moment) {
      const area = moment.isFixBelieved ? areaAt(moment, inside) : inside
      if (!area && !inside) return NOTHING
      const done: Finding[] = []
      const isSame = inside && area?.areaId === inside.areaId && area.version === inside.version
      if (inside && !isSame) done.push(...found(inside))
      if (!area) return done.length > 0 ? { state: null, done } : NOTHING
      const { areaId, version } = area
      const stepped = stepSpeeding(isSame ? inside.spell : null, moment, limit)
      // Before its first fix inside, the car was not there.
      const spell = stepped.state && !isSame ? { ...stepped.state, startMs: moment.timeMs } : stepped.state
      if (isSame && spell === inside.spell && stepped.done.length === 0) return goesOn(inside)
      done.push(...stepped.done.map(finding => ({ ...finding, areaId })))
      return { state: { areaId, version, spell }, done }
    },
    goingOn: ({ areaId, spell }) => (spell && isSpeeding(spell, limit) ? [{ ...openSpell(spell), areaId }] : []),
    end: found,
  })
}
