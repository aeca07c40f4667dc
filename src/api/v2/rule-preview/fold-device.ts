import type { Occasion } from '../../../derive/incidents/derive/detector.ts'
import type { IncidentItem } from '../../../derive/incidents/derive/finding.ts'
import { incidentsPart } from '../../../derive/incidents/derive/incidents-part.ts'
import type { RulesOfDevice } from '../../../derive/incidents/derive/rule-book.ts'
import { detectorOf } from '../../../derive/incidents/derive/rules-in-force.ts'
import { MOTION_TYPES, SITUATION_TYPES } from '../../../derive/incidents/derive/situation.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import type { HistorySource } from '../../../store/history-source.ts'
import { OccasionReader, type Occasions } from '../../../store/occasions/read-occasions.ts'
import { readAhead } from '../../../store/read-ahead.ts'
import { readStretches } from '../../../store/read-stretches.ts'
import type { SampleCursor } from '../../../store/runs/sample-run.ts'
import { WantedTypes } from '../../../store/runs/wanted-types.ts'
import { foldChunks } from './fold-chunks.ts'
import { foldOccasions } from './fold-occasions.ts'
import type { TriedBook } from './thread-messages.ts'
import { wantedSamples } from './wanted-samples.ts'

/** A device of which more was read in the end would have been read as well without looking for occasions. */
const MOST_SHARE = 0.6
/** After such a device, none is looked for in so many others; after another one, in so many times more. */
const FIRST_PAUSE = 15
const LONGER = 4
const LONGEST_PAUSE = 240

/** What was found in some samples. */
interface FoldedSamples {
  readonly items: readonly IncidentItem[]
  readonly count: number
}

/** Folds stored samples of devices by one rule; those that can not matter to it are left out. */
export class DeviceFolds {
  readonly #source: HistorySource
  readonly #book: TriedBook
  readonly #occasion: Occasion | undefined
  readonly #finder: OccasionReader | undefined
  readonly #wanted: WantedTypes
  /** In so many devices after one for which it was of no use, occasions are not looked for; and in how many they were not since then. */
  #pause = 0
  #leftOut = 0
  /** The first device tells whether it is of use for the next ones. */
  #first: Promise<void> | undefined

  constructor(source: HistorySource, book: TriedBook) {
    this.#source = source
    this.#book = book
    const { begins = [], occasion } = detectorOf(book.rule)
    const known = !occasion || occasion.needs === 'all' ? SITUATION_TYPES : MOTION_TYPES
    this.#wanted = new WantedTypes([...known, ...begins])
    this.#occasion = occasion
    this.#finder = this.#occasion && new OccasionReader(source, wantedSamples(this.#occasion, book.rule, book))
  }

  /**
   * Some devices may be folded at once.
   * @yields after each chunk of samples
   */
  async *fold(device: DeviceToTry): AsyncGenerator<FoldedSamples> {
    if (this.#first) {
      await this.#first
      return yield* this.#foldOne(device)
    }
    let told: () => void = () => undefined
    this.#first = new Promise(resolve => (told = resolve))
    try {
      yield* this.#foldOne(device)
    } finally {
      told()
    }
  }

  async *#foldOne({ deviceId, stays }: DeviceToTry): AsyncGenerator<FoldedSamples> {
    const device = { deviceId, assignments: stays.map(stay => ({ ...stay, book: this.#book })) }
    if (!this.#finder || !this.#occasion || stays.length === 0 || this.#isPausing()) return yield* this.#foldAll(device)
    const occasions: Occasions[] = []
    for (const { fromMs, toMs } of stays) occasions.push(await this.#finder.read({ deviceId, fromMs, toMs }))
    const count = occasions.reduce((sum, { samples }) => sum + samples, 0)
    if (occasions.every(({ spans }) => spans.length === 0)) {
      this.#pause = 0
      return yield { items: [], count }
    }
    const [stay] = stays
    const [first] = occasions
    // What is known of a car when a dongle comes into another one is left to the fold.
    if (!stay || !first || stays.length > 1) return yield* this.#foldAll(device)
    yield { items: [], count }
    let read = 0
    const found = foldOccasions({
      part: incidentsPart(device),
      range: stay,
      needs: this.#occasion.needs,
      occasions: first,
      read: part => counted(this.#read(deviceId, part), () => read++),
      readTogether: parts => readStretches(this.#source, deviceId, parts, this.#wanted),
    })
    for await (const items of found) yield { items, count: 0 }
    const isInVain = read > MOST_SHARE * count
    this.#pause = isInVain ? Math.min(LONGEST_PAUSE, Math.max(FIRST_PAUSE, this.#pause * LONGER)) : 0
  }

  #isPausing(): boolean {
    const isPausing = this.#leftOut < this.#pause
    this.#leftOut = isPausing ? this.#leftOut + 1 : 0
    return isPausing
  }

  async *#foldAll({ deviceId, assignments }: DeviceToFold): AsyncGenerator<FoldedSamples> {
    const part = incidentsPart({ assignments })
    const run = part.run(part.begin())
    for (const stay of assignments) yield* foldChunks(run, this.#read(deviceId, stay))
    yield { items: run.goingOn(), count: 0 }
  }

  #read(deviceId: DeviceId, { fromMs, toMs }: TimeRange) {
    return readAhead(this.#source, { deviceId, fromMs, toMs }, this.#wanted)
  }
}

interface DeviceToTry {
  readonly deviceId: DeviceId
  readonly stays: readonly (TimeRange & { readonly vehicleId: number })[]
}

interface DeviceToFold {
  readonly deviceId: DeviceId
  /** Where it was when, each with the book of the rule. */
  readonly assignments: RulesOfDevice['assignments']
}

async function* counted(chunks: AsyncIterable<SampleCursor>, count: () => void): AsyncGenerator<SampleCursor> {
  for await (const samples of chunks)
    yield {
      next() {
        const sample = samples.next()
        if (sample) count()
        return sample
      },
    }
}
