import { ecuIdOfCode, ecuIdOfResponder } from '../../catalogue/ecus.ts'
import { type EventType, type EventTypeId, requiredEventType } from '../../catalogue/event-types.ts'
import { grouped } from '../../model/grouped.ts'
import { type Sample, valueIn } from '../../model/sample.ts'

/** The two kinds of lists: permanent faults, and sporadic ones. */
export const LIST_KINDS = ['PERMANENT', 'SPORADIC'] as const
export type ListKind = (typeof LIST_KINDS)[number]

const EVENT_TYPES: Readonly<Record<ListKind, EventType>> = {
  PERMANENT: requiredEventType('OBD_DTC_PERMANENT'),
  SPORADIC: requiredEventType('OBD_DTC_SPORADIC'),
}

/** The codes that a dongle read from the car at one instant. */
export interface CodeList {
  readonly timeMs: number
  /** Each fault once; undefined when nothing could be read, which changes nothing. */
  readonly codes: readonly ReportedCode[] | undefined
}

export function listType(kind: ListKind): EventTypeId {
  return EVENT_TYPES[kind].id
}

export function listTextIn(sample: Sample, kind: ListKind): string | undefined {
  const text = valueIn(sample, EVENT_TYPES[kind])
  return typeof text === 'string' ? text : undefined
}

/** Reads a list of codes (decisions.md, *Vehicles and devices*); a fault's first entry counts. */
export function readList(timeMs: number, text: string): CodeList {
  const entries = entriesOf(text.toUpperCase())
  const codes = new Map<string, ReportedCode>()
  for (const entry of entries ?? []) {
    const code = readEntry(entry)
    if (!code) continue
    const fault = faultOf(code)
    if (!codes.has(fault)) codes.set(fault, code)
  }
  return { timeMs, codes: entries && [...codes.values()] }
}

/** Codes with letters, or marked as hexadecimal or as a unit's, whatever stands beside them; FORScan writes failure type and
 * status behind: `P0562:00-08`. `\n` ends a line, and `\u0000` is no code. */
const MARKED =
  /(?<=^|[^A-Z0-9\\]|\\[NRT])(?:FF:)?(?:(?:(?:7E[89A-F]|18DAF1[0-9A-F]{2}):)?[PCBU][0-3][0-9A-F]{3}(?:[:-]?[0-9A-F]{2})?|(?:(?:7E[89A-F]|18DAF1[0-9A-F]{2}):(?:0X)?|0X)[0-9A-F]{4}(?:[0-9A-F]{2})?)(?![A-Z0-9])/g
const LETTERED = /(?:^|:)[PCBU]/
/** Other numbers may stand beside codes in JSON, and in texts of J1939. */
const HAS_OTHERS = /^\s*[[{]|\b(?:SPN|FMI)\b/
const NUMBERED = /^(?:FF:)?(?:(?:7E[89A-F]|18DAF1[0-9A-F]{2}):)?(?:(?:0X)?[0-9A-F]{4}(?:[0-9A-F]{2})?|\d{1,3}|\d{5})$/
const KEYS = /"(?:CODE|DTC)S?"\s*:/g
/** Numbers of JSON are decimal, also those of four digits. */
const DECIMAL_OF_JSON = /(?<=[[,:] ?)[1-9]\d{3}(?= ?[,\]}])/g
/** Separators, and the marks of JSON and of Python. */
const AROUND = /[\s\0,;|"'()[\]{}]+|(?<=[0-9A-F]{4})\/(?=[0-9A-F]{4})/
/** "Not available" instead of a code. */
const ALL_BITS = /^(?:(?:0X)?F{4}|65535)$/
/** Lines of an ELM327: two digits each for bytes, also without blanks, behind a unit's id or the number of a frame; and the
 * length of what comes in several frames. */
const BYTES = /^(?:[0-9A-F]{3}|(?:(?:7E[89A-F]|[0-9A-F]:) ?)?(?:[0-9A-F]{2}(?: [0-9A-F]{2})+|(?:[0-9A-F]{2}){4,}))$/
/** What it writes besides, and the echo of the question. */
const NO_BYTES = /^(?:SEARCHING\.*|BUS INIT:.*OK|0[37A]|)$/
/** Consecutive frames (ISO 15765-2). */
const CONTINUED = /\n(?:(?:7E[89A-F]|18DAF1[0-9A-F]{2})2[0-9A-F]|[1-9A-F]:)/g
/** A single frame, or the first of several, with its length in bytes. */
const FRAME = /^(?:(?:7E[89A-F]|18DAF1[0-9A-F]{2})(?:0(.)|1(...))|(...)\n0:)(.*)$/gm
/** Three bytes before a reply and a checksum behind it (J1850, ISO 9141, ISO 14230). */
const BEFORE_CAN = /^(?:486B|8[0-9A-F]F1)..(4[37A].{12})..$/gm
/** To services 03, 07 and 0A of J1979. */
const REPLY = /^4[37A](?:[0-9A-F]{2})+$/

/** Numbers count only where the whole list is numbers: others are of SPN and FMI, cylinders, times.
 * @returns undefined when nothing can be read */
function entriesOf(text: string): readonly string[] | undefined {
  const isMarked = HAS_OTHERS.test(text) ? LETTERED : /^/
  const marked = text.match(MARKED)?.filter(entry => !ALL_BITS.test(entry) && isMarked.test(entry))
  if (marked?.some(entry => LETTERED.test(entry))) return marked.map(entry => entry.replace(/(?<=[PCBU].{4}):/, '-'))
  const lines = text.split(/[\r\n>]+/).map(line => line.trim())
  const bytes = lines.filter(line => !NO_BYTES.test(line))
  const replies = bytes.every(line => BYTES.test(line)) ? repliesIn(bytes) : []
  if (replies.length > 0 && replies.every(reply => REPLY.test(reply))) {
    const codes = replies.flatMap(reply => codesOfReply(reply) ?? [''])
    return codes.includes('') ? undefined : codes
  }
  const isJson = /^\s*[[{]/.test(text)
  const numbers = (
    isJson ? text.replaceAll(/\s+/g, ' ').replaceAll(DECIMAL_OF_JSON, '0$&').replaceAll(KEYS, ' ') : text
  ).split(AROUND)
  const given = numbers.filter(entry => entry !== '')
  const known = given.filter(entry => !ALL_BITS.test(entry))
  const isRead = known.every(entry => NUMBERED.test(entry)) && (known.length > 0 || given.length === 0)
  return isRead ? known : undefined
}

/** The bytes of each reply, without what its protocol puts around them. */
function repliesIn(lines: readonly string[]): readonly string[] {
  // Sorted, the frames of a unit follow each other.
  const frames = lines.map(line => line.replaceAll(' ', '')).toSorted()
  const data = frames.join('\n').replaceAll(CONTINUED, '').replaceAll(BEFORE_CAN, '$1')
  const wholeOf = (_: string, ...[single, first, before, all = '']: readonly (string | undefined)[]) =>
    all.slice(0, 2 * Number.parseInt(single ?? first ?? before ?? '', 16))
  return data.replaceAll(FRAME, wholeOf).split('\n')
}

/** Over CAN, the first byte says how many codes follow, and behind them, all bytes are the same.
 * @returns undefined where some are missing */
function codesOfReply(reply: string): readonly string[] | undefined {
  const bytes = reply.slice(2)
  const end = 2 + 4 * Number.parseInt(bytes.slice(0, 2), 16)
  const padding = new Set(bytes.slice(end).match(/../g))
  const isEven = bytes.length % 4 === 0
  // Elsewhere there are three codes, of which zeros are none.
  const isCounted = bytes.length >= end && padding.size <= 1 && !(isEven && padding.has('00'))
  if (!isCounted && !isEven) return undefined
  return bytes.slice(isCounted ? 2 : 0, isCounted ? end : undefined).match(/.{4}/g) ?? []
}

/** A fault from the first list with it until the next one without it (decisions.md, *Vehicles and devices*). */
export interface CodeInterval extends ReportedCode {
  readonly recordedMs: number
  /** undefined while it is current. */
  readonly deletedMs: number | undefined
}

/** The intervals that follow from lists of one kind, each instant once, ascending. @param before current ones before
 * the lists; their `deletedMs` is ignored @returns those of `before` and the new ones */
export function intervalsOf(lists: readonly CodeList[], before: readonly CodeInterval[] = []): CodeInterval[] {
  const ended: CodeInterval[] = []
  let current = new Map(before.map(interval => [faultOf(interval), { ...interval, deletedMs: undefined }]))
  for (const { timeMs, codes } of lists) {
    if (!codes) continue
    const next: typeof current = new Map()
    for (const code of codes) {
      const fault = faultOf(code)
      next.set(fault, current.get(fault) ?? { ...code, recordedMs: timeMs, deletedMs: undefined })
    }
    for (const [fault, interval] of current) if (!next.has(fault)) ended.push({ ...interval, deletedMs: timeMs })
    current = next
  }
  return [...ended, ...current.values()]
}

/** The list contains exactly what is current at its time, so that it changes nothing, added or in place of another one. */
export function isAsKnown({ timeMs, codes }: CodeList, intervals: readonly CodeInterval[]): boolean {
  if (!codes) return intervals.every(({ recordedMs, deletedMs }) => recordedMs !== timeMs && deletedMs !== timeMs)
  const current = new Map(
    intervals.filter(interval => isCurrent(interval, timeMs)).map(interval => [faultOf(interval), interval]),
  )
  return (
    codes.length === current.size &&
    codes.every(code => {
      const known = current.get(faultOf(code))
      if (known?.recordedMs !== timeMs) return known !== undefined
      return known.encoded === code.encoded && known.encoding === code.encoding
    })
  )
}

/** Lists from which intervals are derived again. */
export interface Stretch {
  /** Everything that began or ended from here on follows from `lists` alone. */
  readonly fromMs: number
  /** All lists from `fromMs` on, ascending, up to the last one or to one that did not change. */
  readonly lists: readonly CodeList[]
  /** There are later lists: the last one here did not change, so everything after it stays as it was. */
  readonly goesOn: boolean
}

/** The intervals of a series after the lists in a stretch of time changed, given the stored intervals. */
export function withStretch(
  intervals: readonly CodeInterval[],
  { fromMs, lists, goesOn }: Stretch,
): readonly CodeInterval[] {
  const lastMs = (goesOn ? lists.at(-1)?.timeMs : undefined) ?? Number.POSITIVE_INFINITY
  const isOutside = ({ recordedMs, deletedMs }: CodeInterval) =>
    recordedMs > lastMs || (deletedMs !== undefined && deletedMs < fromMs)
  const inside = intervals.filter(interval => !isOutside(interval))
  const laterEnds = new Map(
    inside.filter(interval => isCurrent(interval, lastMs)).map(interval => [faultOf(interval), interval.deletedMs]),
  )
  const derived = intervalsOf(
    lists,
    inside.filter(({ recordedMs }) => recordedMs < fromMs),
  )
  return [
    ...intervals.filter(isOutside),
    ...derived.map(interval => ({ ...interval, deletedMs: interval.deletedMs ?? laterEnds.get(faultOf(interval)) })),
  ]
}

function isCurrent({ recordedMs, deletedMs }: CodeInterval, timeMs: number): boolean {
  return recordedMs <= timeMs && (deletedMs === undefined || timeMs < deletedMs)
}

export interface StoredInterval extends CodeInterval {
  readonly id: number
}

export interface IntervalChanges {
  readonly added: readonly CodeInterval[]
  /** Under the ids they had. */
  readonly changed: readonly StoredInterval[]
  /** Intervals that no list supports any more. */
  readonly retracted: readonly StoredInterval[]
}

/** Compares intervals of one kind of list. An overlapping one of the same fault keeps its id; of merged or split ones,
 * the earliest part keeps it. */
export function differenceOf(stored: readonly StoredInterval[], derived: readonly CodeInterval[]): IntervalChanges {
  const left = grouped([...stored].sort(byStart), faultOf)
  const added: CodeInterval[] = []
  const changed: StoredInterval[] = []
  for (const interval of [...derived].sort(byStart)) {
    const candidates = left.get(faultOf(interval)) ?? []
    const index = candidates.findIndex(candidate => overlaps(candidate, interval))
    const [kept] = index < 0 ? [] : candidates.splice(index, 1)
    if (!kept) added.push(interval)
    else if (!isSame(kept, interval)) changed.push({ ...interval, id: kept.id })
  }
  return { added, changed, retracted: [...left.values()].flat() }
}

function byStart(a: CodeInterval, b: CodeInterval): number {
  return a.recordedMs - b.recordedMs
}

function overlaps(a: CodeInterval, b: CodeInterval): boolean {
  return a.recordedMs < endOf(b) && b.recordedMs < endOf(a)
}

function endOf({ deletedMs }: CodeInterval): number {
  return deletedMs ?? Number.POSITIVE_INFINITY
}

function isSame(a: CodeInterval, b: CodeInterval): boolean {
  return (
    a.recordedMs === b.recordedMs && a.deletedMs === b.deletedMs && a.encoded === b.encoded && a.encoding === b.encoding
  )
}

type DtcEncoding = 'PCODE' | 'HEX' | 'DECIMAL'

/** One entry of a list of codes. */
interface ReportedCode {
  /** For example `P0301`. */
  readonly code: string
  /** As it was reported, in upper case, without `0x` and leading zeros of a decimal number; a failure type after `-`. */
  readonly encoded: string
  readonly encoding: DtcEncoding
  readonly ecuTypeId: number
  /** The entry is not the code itself: it says that the control unit stores measurements from the moment of the fault. */
  readonly isFreezeFrame: boolean
}

/** `FF:` marks a freeze frame, a response id of ISO 15765-4 (11 or 29 bits) the control unit. */
const ENTRY = /^(FF:)?(?:(7E[89A-F]|18DAF1[0-9A-F]{2}):)?([^:]+)$/

const PCODE = /^([PCBU][0-3][0-9A-F]{3})(?:-?([0-9A-F]{2}))?$/
/** Four digits are the two bytes, even if all are decimal digits; two more are the failure type byte of ISO 14229-1. */
const HEX = /^(?:0X)?([0-9A-F]{4})([0-9A-F]{2})?$/
const DECIMAL = /^(?:\d{1,3}|\d{5})$/

/** @returns the parsed entry; undefined if it is not a code. `P0000` means no code. */
export function readEntry(entry: string): ReportedCode | undefined {
  const [, frame, responder, text = ''] = ENTRY.exec(entry.toUpperCase()) ?? []
  const read = readCode(text)
  if (!read || read.code === NO_CODE) return undefined
  return {
    ...read,
    ecuTypeId: (responder === undefined ? undefined : ecuIdOfResponder(responder)) ?? ecuIdOfCode(read.code),
    isFreezeFrame: frame !== undefined,
  }
}

/** Dongles pad unused slots with zeros (SAE J1979, mode 3). */
const NO_CODE = 'P0000'

function readCode(text: string): Pick<ReportedCode, 'code' | 'encoded' | 'encoding'> | undefined {
  const [, code, failureType] = PCODE.exec(text) ?? []
  if (code !== undefined)
    return { code, encoded: failureType === undefined ? code : `${code}-${failureType}`, encoding: 'PCODE' }
  const [, bytes, lastByte = ''] = HEX.exec(text) ?? []
  if (bytes !== undefined)
    return { code: codeOfBytes(Number.parseInt(bytes, 16)), encoded: bytes + lastByte, encoding: 'HEX' }
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN
  return number <= 0xffff ? { code: codeOfBytes(number), encoded: String(number), encoding: 'DECIMAL' } : undefined
}

/** Identifies a fault by control unit, code and failure type, in whatever form. A freeze
 * frame is separate from its code. */
export function faultOf({ isFreezeFrame, ecuTypeId, code, encoded, encoding }: ReportedCode): string {
  const failureType = encoding === 'DECIMAL' ? '' : encoded.slice(encoding === 'PCODE' ? 6 : 4)
  return `${isFreezeFrame ? 'frame ' : ''}${ecuTypeId} ${code} ${failureType}`
}

/** The first letters of trouble codes in the order of their two highest bits. */
const SYSTEMS = ['P', 'C', 'B', 'U'] as const

/** The code of two bytes (SAE J2012 and ISO 15031-6, *Encoded format*): two bits each for the letter and the first
 * digit, then three hexadecimal digits; 0x0301 is `P0301`. */
export function codeOfBytes(bytes: number): string {
  const digits = (bytes & 0x3fff).toString(16).toUpperCase().padStart(4, '0')
  return `${SYSTEMS[bytes >> 14]}${digits}`
}
