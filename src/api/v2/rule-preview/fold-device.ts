import type { AccountReads } from '../../../db/account-reads.ts'
import { OccasionReader, type Occasions } from '../../../db/samples/occasions/read-occasions.ts'
import { readAhead } from '../../../db/samples/read-ahead.ts'
import type { Occasion } from '../../../facts/incidents/derive/detector.ts'
import type { IncidentItem } from '../../../facts/incidents/derive/finding.ts'
import { incidentsPart } from '../../../facts/incidents/derive/incidents-part.ts'
import type { RuleBook, RulesOfDevice, RuleVersion } from '../../../facts/incidents/derive/rule-book.ts'
import { detectorOf } from '../../../facts/incidents/derive/rules-in-force.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import { foldChunks } from './fold-chunks.ts'
import { foldOccasions } from './fold-occasions.ts'
import { wantedSamples } from './wanted-samples.ts'

/** What was found in some more samples. */
interface Folded {
  readonly items: readonly IncidentItem[]
  readonly count: number
}

interface DeviceToFold {
  readonly deviceId: DeviceId
  /** Where it was when, each with the book of the rule. */
  readonly assignments: RulesOfDevice['assignments']
}

/** Folds stored samples of one device after the other by one rule; those that can not matter to it are left out. */
export class DeviceFolds {
  readonly #reads: AccountReads
  readonly #turn: () => Promise<void>
  readonly #occasion: Occasion | undefined
  readonly #finder: OccasionReader | undefined

  /** @param turn before each piece of work of a few milliseconds */
  constructor(reads: AccountReads, rule: RuleVersion, book: RuleBook, turn: () => Promise<void>) {
    this.#reads = reads
    this.#turn = turn
    this.#occasion = detectorOf(rule).occasion
    this.#finder = this.#occasion && new OccasionReader(reads, wantedSamples(this.#occasion, rule, book))
  }

  /** @yields after each chunk of samples */
  async *fold(device: DeviceToFold): AsyncGenerator<Folded> {
    const { deviceId, assignments } = device
    const [stay] = assignments
    if (!this.#finder || !this.#occasion || !stay) return yield* this.#foldAll(device)
    const occasions: Occasions[] = []
    for (const { fromMs, toMs } of assignments) occasions.push(await this.#finder.read({ deviceId, fromMs, toMs }))
    const [first] = occasions
    const count = occasions.reduce((sum, { samples }) => sum + samples, 0)
    if (occasions.every(({ spans }) => spans.length === 0)) return yield { items: [], count }
    // What is known of a car when a dongle comes into another one is left to the fold.
    if (!first || assignments.length > 1) return yield* this.#foldAll(device)
    yield { items: [], count }
    const found = foldOccasions({
      part: incidentsPart({ assignments }),
      range: stay,
      needs: this.#occasion.needs,
      occasions: first,
      read: part => this.#read(deviceId, part),
      turn: this.#turn,
    })
    for await (const items of found) yield { items, count: 0 }
  }

  async *#foldAll({ deviceId, assignments }: DeviceToFold): AsyncGenerator<Folded> {
    const part = incidentsPart({ assignments })
    let state = part.begin()
    for (const stay of assignments) {
      for await (const folded of foldChunks(part, state, this.#read(deviceId, stay), this.#turn)) {
        state = folded.state
        yield folded
      }
    }
    yield { items: part.goingOn(state), count: 0 }
  }

  #read(deviceId: DeviceId, { fromMs, toMs }: TimeRange) {
    return readAhead(this.#reads, { deviceId, fromMs, toMs })
  }
}
