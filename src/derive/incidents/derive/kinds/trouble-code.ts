import type { Sample } from '../../../../model/sample.ts'
import { type ListKind, listTextIn, listType, readList } from '../../../dtcs/derive/list.ts'
import { detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import type { Finding } from '../finding.ts'
import { packSpells, unpackSpells } from '../packed-spell.ts'
import { packing } from '../packing.ts'
import { numberOf, textOf } from '../rule-book.ts'
import { endedAt, endedSpell, openSpell, type Spell, spellFrom } from '../spell.ts'
import { ANY_GAP_MS } from './bounds.ts'

/** Codes that the last list of a kind had, and since when. */
type Codes = { readonly [code: string]: Spell }
type Listed = { readonly [Kind in ListKind]: Codes }

const LISTED_PACKING = packing(
  ({ PERMANENT, SPORADIC }: Listed, origin) => [packSpells(PERMANENT, origin), packSpells(SPORADIC, origin)] as const,
  ([permanent, sporadic], origin) => ({
    PERMANENT: unpackSpells(permanent, origin),
    SPORADIC: unpackSpells(sporadic, origin),
  }),
)

const NO_CODES: Codes = {}
const NONE: Listed = { PERMANENT: NO_CODES, SPORADIC: NO_CODES }
/** The lists of a rule that are remembered. */
const MOST_TEXTS = 100

const EVERY_CODE = '*'

/** A code that a list has and the one before had not, until a list does not have it any more. The detail is the code. */
export const troubleCode: KindOfRule = rule => {
  const wanted = textOf(rule, 'listed')
  const kinds: readonly ListKind[] =
    wanted === 'PERMANENT' || wanted === 'SPORADIC' ? [wanted] : ['PERMANENT', 'SPORADIC']
  const ecuTypeId = numberOf(rule, 'ecuTypeId')
  const matches = matcherOf(textOf(rule, 'pattern'))
  const readCodes = (text: string) => {
    const { codes } = readList(0, text)
    const wantedOnes = codes.filter(
      code => !code.isFreezeFrame && (ecuTypeId === 0 || code.ecuTypeId === ecuTypeId) && matches(code.code),
    )
    return [...new Set(wantedOnes.map(({ code }) => code))].sort()
  }
  // Dongles repeat their lists, and most are empty.
  const codesByText = new Map<string, readonly string[]>()
  const codesIn = (text: string) => {
    const known = codesByText.get(text)
    if (known) return known
    if (codesByText.size >= MOST_TEXTS) codesByText.clear()
    const codes = readCodes(text)
    codesByText.set(text, codes)
    return codes
  }
  const earliest = (listed: Listed) => {
    const codes = new Map<string, Spell>()
    for (const kind of kinds)
      for (const [code, spell] of Object.entries(listed[kind])) {
        const known = codes.get(code)
        if (!known || spell.startMs < known.startMs) codes.set(code, spell)
      }
    return codes
  }
  const open = (listed: Listed): Finding[] =>
    [...earliest(listed)].map(([code, spell]) => ({ ...openSpell(spell), detail: code }))
  /** Whether a sample lists other codes than are known. */
  const tellsOthers = (sample: Sample, before: Listed | null) => {
    for (const kind of kinds) {
      const text = listTextIn(sample, kind)
      if (text !== undefined && !isListed(codesIn(text), before?.[kind] ?? NO_CODES)) return true
    }
    return false
  }
  return detector<Listed>({
    begins: kinds.map(listType),
    occasion: { types: kinds.map(listType), needs: 'place' },
    isDeafToOthers: true,
    longestGapMs: ANY_GAP_MS,
    packing: LISTED_PACKING,
    step(before, moment) {
      if (!tellsOthers(moment.sample, before)) return before ? goesOn(before) : NOTHING
      const after = { ...(before ?? NONE) }
      const known = before ? earliest(before) : new Map<string, Spell>()
      for (const kind of kinds) {
        const text = listTextIn(moment.sample, kind)
        if (text === undefined) continue
        const codes = codesIn(text)
        // A code has the same spell in each list.
        after[kind] = Object.fromEntries(codes.map(code => [code, known.get(code) ?? spellFrom(moment, null)]))
      }
      const left = earliest(after)
      const done = [...known].flatMap(([code, spell]) =>
        left.has(code) ? [] : [{ ...endedAt(spell, moment.now), detail: code }],
      )
      return left.size > 0 ? { state: after, done } : { state: null, done }
    },
    goingOn: open,
    end: (listed, last) =>
      [...earliest(listed)].map(([code, spell]) => ({
        ...(last.lastMs > spell.startMs ? endedAt(spell, last) : endedSpell(spell)),
        detail: code,
      })),
  })
}

/** Whether a list has the same codes as the one before. */
function isListed(codes: readonly string[], before: Codes): boolean {
  for (const code of codes) if (!(code in before)) return false
  return codes.length === Object.keys(before).length
}

/** @param pattern of a code, in which `*` stands for any characters and `?` for one */
function matcherOf(pattern: string): (code: string) => boolean {
  if (pattern === EVERY_CODE) return () => true
  const parts = pattern.toUpperCase().replace(/[^A-Z0-9*?]/g, '')
  return code => isMatch(parts, code)
}

/** Without a regular expression: patterns come from users. */
function isMatch(pattern: string, text: string): boolean {
  let [at, inText, star, after] = [0, 0, -1, 0]
  while (inText < text.length) {
    if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[inText])) {
      at++
      inText++
    } else if (pattern[at] === '*') {
      star = at++
      after = inText
    } else if (star >= 0) {
      at = star + 1
      inText = ++after
    } else return false
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}
