import type { Sample } from '../../../model/sample.ts'
import { type ListKind, listTextIn, listType, readList } from '../../dtcs/dtc-intervals.ts'
import { numberOf, textOf } from '../../rules/rule-book.ts'
import { ANY_GAP_MS, detector, type Finding, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import { endedAt, endedPeriod, openPeriod, type Period, periodFrom } from '../period.ts'

/** Codes that the last list of a kind had, and since when. */
type Codes = { readonly [code: string]: Period }
type ListedCodes = { readonly [Kind in ListKind]: Codes }

const NONE: ListedCodes = { PERMANENT: {}, SPORADIC: {} }
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
    const wantedOnes = codes?.filter(
      code => !code.isFreezeFrame && (ecuTypeId === 0 || code.ecuTypeId === ecuTypeId) && matches(code.code),
    )
    return wantedOnes && [...new Set(wantedOnes.map(({ code }) => code))].sort()
  }
  // Dongles repeat their lists, and most are empty.
  const codesByText = new Map<string, readonly string[] | undefined>()
  const codesIn = (text: string) => {
    if (codesByText.has(text)) return codesByText.get(text)
    if (codesByText.size >= MOST_TEXTS) codesByText.clear()
    const codes = readCodes(text)
    codesByText.set(text, codes)
    return codes
  }
  const earliest = (listed: ListedCodes) => {
    const codes = new Map<string, Period>()
    for (const kind of kinds)
      for (const [code, period] of Object.entries(listed[kind])) {
        const known = codes.get(code)
        if (!known || period.startMs < known.startMs) codes.set(code, period)
      }
    return codes
  }
  const hasOtherCodes = (sample: Sample, before: ListedCodes) =>
    kinds.some(kind => {
      const text = listTextIn(sample, kind)
      const codes = text === undefined ? undefined : codesIn(text)
      return codes !== undefined && !isListed(codes, before[kind])
    })
  return detector<ListedCodes>({
    types: kinds.map(listType),
    longestGapMs: ANY_GAP_MS,
    step(before, observation) {
      const { sample, now } = observation
      if (!hasOtherCodes(sample, before ?? NONE)) return before ? goesOn(before) : NOTHING
      const after = { ...(before ?? NONE) }
      const known = before ? earliest(before) : new Map<string, Period>()
      for (const kind of kinds) {
        const text = listTextIn(sample, kind)
        const codes = text === undefined ? undefined : codesIn(text)
        if (!codes) continue
        // A code has the same period in each list.
        const periods = codes.map(code => [code, known.get(code) ?? periodFrom(observation, null)])
        after[kind] = Object.fromEntries(periods)
      }
      const left = earliest(after)
      const done = [...known].flatMap(([code, period]): Finding[] =>
        left.has(code) ? [] : [{ ...endedAt(period, now), detail: code }],
      )
      return { state: left.size > 0 ? after : null, done }
    },
    goingOn: listed => [...earliest(listed)].map(([code, period]) => ({ ...openPeriod(period), detail: code })),
    end: (listed, last) =>
      [...earliest(listed)].map(([code, period]) => ({
        ...(last.lastMs > period.startMs ? endedAt(period, last) : endedPeriod(period)),
        detail: code,
      })),
  })
}

/** A list has the same codes as the one before. */
function isListed(codes: readonly string[], before: Codes): boolean {
  return codes.length === Object.keys(before).length && codes.every(code => code in before)
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
