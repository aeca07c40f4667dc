import { utf8Bytes } from '../../../server/http/reply.ts'
import { numberOf, numbersOf, type RawSample, textsOf } from '../../../store/index.ts'
import { snakeTail } from '../../event-json.ts'
import { type EventSlot, type RawValues, valueJson } from '../../raw-values.ts'

/**
 * Writes events as JSON, as `utf8Bytes`. Most values of a dongle are those of its sample before, so the text of each slot is kept as
 * long as its value stays: joining it again takes most of the time of a long list.
 */
export class EventWriter {
  readonly #written = new Map<readonly EventSlot[], WrittenSlots>()
  #lastSlots: readonly EventSlot[] | undefined
  #last: WrittenSlots | undefined

  /** The events of some slots of a sample, separated by commas. @param slots those of a template, the same array for all its samples */
  write(sample: RawSample, slots: readonly EventSlot[], from: number, to: number): string {
    const values = valuesOf(sample, slots)
    const written = this.#writtenOf(slots)
    const tail = tailOf(sample)
    let text = ''
    for (let index = from; index < to; index++) {
      const head = written.textOf(index, values)
      text += index === from ? head + tail : `,${head}${tail}`
    }
    return text
  }

  #writtenOf(slots: readonly EventSlot[]): WrittenSlots {
    if (this.#last && this.#lastSlots === slots) return this.#last
    const written = this.#written.get(slots) ?? new WrittenSlots(slots)
    this.#written.set(slots, written)
    this.#lastSlots = slots
    this.#last = written
    return written
  }
}

/** The last text of each slot, without the tail, and the value that it shows. */
class WrittenSlots {
  readonly #slots: readonly EventSlot[]
  readonly #texts: string[]
  /** Both numbers of a position; NaN where there is none yet. */
  readonly #numbers: Float64Array
  readonly #seconds: Float64Array
  readonly #strings: (string | undefined)[]

  constructor(slots: readonly EventSlot[]) {
    this.#slots = slots
    this.#texts = slots.map(() => '')
    this.#numbers = new Float64Array(slots.length).fill(Number.NaN)
    this.#seconds = new Float64Array(slots.length)
    this.#strings = slots.map(() => undefined)
  }

  textOf(index: number, values: RawValues): string {
    const slot = this.#slots[index]
    if (!slot) throw new Error('an event of the page is missing')
    if (!this.#isChanged(index, slot, values)) return this.#texts[index] ?? ''
    return (this.#texts[index] = textOfSlot(slot, values))
  }

  #isChanged(index: number, { kind, index: at }: EventSlot, { numbers, texts }: RawValues): boolean {
    if (kind === 'STRING') {
      const string = texts[at]
      if (string !== undefined && string === this.#strings[index]) return false
      this.#strings[index] = string
      return true
    }
    const number = Number(numbers[at])
    const second = kind === 'GEO' ? Number(numbers[at + 1]) : 0
    if (number === this.#numbers[index] && second === this.#seconds[index]) return false
    this.#numbers[index] = number
    this.#seconds[index] = second
    return true
  }
}

/** One event by itself. */
export function eventText(sample: RawSample, slot: EventSlot): string {
  return textOfSlot(slot, valuesOf(sample, [slot])) + tailOf(sample)
}

function tailOf({ deviceId, timeMs }: RawSample): string {
  return snakeTail(deviceId, new Date(timeMs).toISOString())
}

function textOfSlot(slot: EventSlot, values: RawValues): string {
  const json = valueJson(slot, values) ?? 'null'
  // Only texts can contain characters beyond ASCII.
  return slot.before + (slot.kind === 'STRING' ? utf8Bytes(json) : json) + slot.after
}

/** What slots of a sample need, so that a sealed day is unpacked only so far. */
function valuesOf(sample: RawSample, slots: readonly EventSlot[]): RawValues {
  if (slots.length > FEW_SLOTS) return { numbers: numbersOf(sample), texts: textsOf(sample) }
  const texts = slots.some(({ kind }) => kind === 'STRING') ? textsOf(sample) : []
  const numbers: number[] = []
  for (const { kind, index } of slots) {
    if (kind === 'STRING') continue
    numbers[index] = numberOf(sample, index)
    if (kind === 'GEO') numbers[index + 1] = numberOf(sample, index + 1)
  }
  return { numbers, texts }
}

/** Of more, all numbers of a sample are read faster at once. */
const FEW_SLOTS = 3
