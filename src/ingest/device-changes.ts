import type { Sample } from '../model/sample.ts'
import { mergeSamples } from './merge-samples.ts'

/** How the events of a received sample relate to what was known at its instant. */
interface Addition {
  readonly accepted: number
  readonly duplicates: number
  readonly conflicts: number
}

/** A sample at a key that was stored before the batch. */
interface Replacement {
  readonly before: Sample
  readonly after: Sample
}

interface Change {
  readonly before: Sample | undefined
  readonly after: Sample
}

/** All samples of one device that a batch changes, ascending by time. */
export interface ChangedSamples {
  readonly all: readonly Sample[]
  /** Those at new keys, and those whose key exists. */
  readonly inserts: readonly Sample[]
  readonly replacements: readonly Replacement[]
}

const NO_REPLACEMENTS: readonly Replacement[] = []

/** Collects what a batch does to the samples of one device. */
export class DeviceChanges {
  /** Nearly always a dongle sends new instants one after the other: then no instant has to be looked up. */
  #ascending: Sample[] = []
  /** By time; undefined while all samples are in `#ascending`. */
  #byTime: Map<number, Change> | undefined

  /** @param sample as it is stored at a key of the batch */
  addStored(sample: Sample): void {
    this.#indexed().set(sample.timeMs, { before: sample, after: sample })
  }

  addReceived(sample: Sample): Addition {
    const last = this.#ascending.at(-1)
    if (!this.#byTime && (!last || last.timeMs < sample.timeMs)) {
      this.#ascending.push(sample)
      return { accepted: sample.types.length, duplicates: 0, conflicts: 0 }
    }
    const byTime = this.#indexed()
    const change = byTime.get(sample.timeMs)
    if (!change) {
      byTime.set(sample.timeMs, { before: undefined, after: sample })
      return { accepted: sample.types.length, duplicates: 0, conflicts: 0 }
    }
    const merge = mergeSamples(change.after, sample)
    if (merge.accepted > 0) byTime.set(sample.timeMs, { before: change.before, after: merge.sample })
    return merge
  }

  /** What changed. A stored sample to which nothing was added has not. */
  changed(): ChangedSamples {
    if (!this.#byTime) return { all: this.#ascending, inserts: this.#ascending, replacements: NO_REPLACEMENTS }
    const changes = [...this.#byTime.values()].filter(({ before, after }) => before !== after)
    changes.sort((a, b) => a.after.timeMs - b.after.timeMs)
    return {
      all: changes.map(({ after }) => after),
      inserts: changes.flatMap(({ before, after }) => (before ? [] : [after])),
      replacements: changes.flatMap(({ before, after }) => (before ? [{ before, after }] : [])),
    }
  }

  #indexed(): Map<number, Change> {
    this.#byTime ??= new Map(this.#ascending.map(sample => [sample.timeMs, { before: undefined, after: sample }]))
    return this.#byTime
  }
}
