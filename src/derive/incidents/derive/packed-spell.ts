import { type Origin } from '../../trips/derive/codec.ts'
import { type Packed } from '../../trips/derive/packing/values.ts'
import { packing, packPlace, packSinceIfAny, unpackPlace, unpackSinceIfAny } from './packing.ts'
import type { Spell } from './spell.ts'

/** What a single sample said, without a value: of a car with trouble codes, most spells. */
const packMoment = ({ startMs, startLon, startLat }: Spell, origin: Origin) =>
  [startMs - origin.timeMs, packPlace(startLon, startLat, origin)] as const
const packWhole = (spell: Spell, origin: Origin) =>
  [
    spell.startMs - origin.timeMs,
    packPlace(spell.startLon, spell.startLat, origin),
    spell.lastMs - origin.timeMs,
    packPlace(spell.lastLon, spell.lastLat, origin),
    spell.peak,
    packSinceIfAny(spell.peakMs, origin),
    spell.count,
  ] as const
const isMoment = ({ startMs, startLon, startLat, lastMs, lastLon, lastLat, peak, peakMs, count }: Spell) =>
  count === 1 && lastMs === startMs && lastLon === startLon && lastLat === startLat && peak === null && peakMs === null

export const packSpell = (spell: Spell, origin: Origin) =>
  isMoment(spell) ? packMoment(spell, origin) : packWhole(spell, origin)
export function unpackSpell(packed: Packed<typeof packSpell>, origin: Origin): Spell {
  const whole = packed.length === 2 ? ([packed[0], packed[1], packed[0], packed[1], null, null, 1] as const) : packed
  const { lon: startLon, lat: startLat } = unpackPlace(whole[1], origin)
  const { lon: lastLon, lat: lastLat } = unpackPlace(whole[3], origin)
  return {
    startMs: whole[0] + origin.timeMs,
    startLon,
    startLat,
    lastMs: whole[2] + origin.timeMs,
    lastLon,
    lastLat,
    peak: whole[4],
    peakMs: unpackSinceIfAny(whole[5], origin),
    count: whole[6],
  }
}
export const packSpellIfAny = (spell: Spell | null, origin: Origin) => spell && packSpell(spell, origin)
export const unpackSpellIfAny = (packed: Packed<typeof packSpellIfAny>, origin: Origin) =>
  packed && unpackSpell(packed, origin)

/** Of a rule that knows one spell. */
export const SPELL_PACKING = packing(packSpell, unpackSpell)

/** Spells by name. */
type Spells = { readonly [name: string]: Spell }
export const packSpells = (spells: Spells, origin: Origin) => {
  const packed: Record<string, Packed<typeof packSpell>> = {}
  for (const name in spells) packed[name] = packSpell(spells[name] as Spell, origin)
  return packed
}
export const unpackSpells = (packed: Packed<typeof packSpells>, origin: Origin): Spells => {
  const spells: Record<string, Spell> = {}
  for (const name in packed) spells[name] = unpackSpell(packed[name] as Packed<typeof packSpell>, origin)
  return spells
}
