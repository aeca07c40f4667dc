import pino, { type Logger } from 'pino'
import { ensureFirstAccount } from '../src/access/accounts.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { enterOutdatedHistories } from '../src/derive/due.ts'
import { Failing } from '../src/derive/failing.ts'
import type { HistorySize } from '../src/derive/folding.ts'
import { deriveHistories, type HistoriesOptions, RefoldProgress } from '../src/derive/histories.ts'
import { differenceText, rebuildDevice } from '../src/derive/rebuild.ts'
import { Intake } from '../src/ingest/intake.ts'
import type { DeviceId, Sample } from '../src/model/sample.ts'
import { Partitions } from '../src/store/index.ts'
import { createTestDatabase } from './database.ts'
import { Dongle } from './dongle.ts'
import { makeOutdated, type OlderRulesName } from './older-rules.ts'
import type { Values } from './sample-with.ts'

/** So that a few drives make many stretches. */
const SMALL: HistorySize = { chunk: 50, samples: 120, rows: 1000 }

/** What happens while histories are folded again. */
interface Meanwhile {
  /** Between two steps of the work, in its pauses. */
  readonly between?: () => Promise<void>
  /** After each stretch that was written, or was to be. */
  readonly written?: () => void
  readonly signal?: AbortSignal
  readonly log?: Logger
}

const silent = pino({ level: 'silent' })

/** How the tests have histories folded again: without rests, and in many small stretches. */
export function refoldOptions({ between, written, signal, log = silent }: Meanwhile = {}): HistoriesOptions {
  return {
    pace: { restAfter: between ?? (async () => undefined) },
    signal: signal ?? new AbortController().signal,
    failing: new Failing(),
    progress: new RefoldProgress(log),
    log,
    observe: { waiting: () => undefined, written: () => written?.() },
    size: SMALL,
  }
}

/** A database with an intake of its own, which does nothing but store. */
export class UpgradeWorld implements AsyncDisposable {
  readonly url: string
  readonly database: Database
  readonly accountId: number
  readonly #intake: Intake
  readonly #drop: (() => Promise<void>) | undefined
  #lastDevice = 1000

  private constructor(url: string, database: Database, accountId: number, drop?: () => Promise<void>) {
    this.url = url
    this.database = database
    this.accountId = accountId
    this.#drop = drop
    this.#intake = new Intake({
      log: silent,
      database,
      partitions: new Partitions(database),
      batchOptions: async () => ({ unknownDevices: 'accept', firstAccountId: accountId }),
    })
  }

  static async make(): Promise<UpgradeWorld> {
    const testDatabase = await createTestDatabase()
    return UpgradeWorld.on(testDatabase.url, () => testDatabase.drop())
  }

  /** On a database that is there. */
  static async on(url: string, drop?: () => Promise<void>): Promise<UpgradeWorld> {
    const database = openDatabase({ url })
    const { id } = await writeTransaction(database, ensureFirstAccount)
    return new UpgradeWorld(url, database, id, drop)
  }

  /** The first of so many ids that nobody has. */
  newDevices(count: number): number {
    this.#lastDevice += count
    return this.#lastDevice - count + 1
  }

  async store(samples: readonly Sample[]): Promise<void> {
    const { accountId } = this
    for (let i = 0; i < samples.length; i += 500) {
      const { kind } = await this.#intake.submit({ accountId, samples: samples.slice(i, i + 500) })
      if (kind !== 'stored') throw new Error(`samples were ${kind}`)
    }
  }

  /** Folds all histories again that are behind. @throws what failed, above all what a test expects `between` */
  async refold({ between, ...meanwhile }: Meanwhile = {}): Promise<void> {
    const errors: unknown[] = []
    const watched = async () => {
      await between?.().catch((error: unknown) => void errors.push(error))
    }
    const options = refoldOptions({ ...meanwhile, between: watched })
    await enterOutdatedHistories(this.database)
    await deriveHistories(this.database, options)
    if (errors.length > 0) throw errors[0]
    if (options.failing.count > 0) throw new Error(`${options.failing.count} devices could not be folded again`)
  }

  /** What does not follow from the samples of a device by the current rules. */
  async differencesOf(deviceId: DeviceId): Promise<string[]> {
    return (await rebuildDevice(this.database, deviceId, { isCheck: true })).map(differenceText)
  }

  async foldedBy(deviceId: DeviceId): Promise<number | undefined> {
    const [row] = await this.database.rows<{ folded_by: number }>(
      sql`select folded_by from device_states where device_id = ${deviceId}`,
    )
    return row?.folded_by
  }

  async foldedTo(deviceId: DeviceId): Promise<string | undefined> {
    const [row] = await this.database.rows<{ folded_to: string }>(
      sql`select from_time as folded_to from due where device_id = ${deviceId} and kind = 'history'`,
    )
    return row?.folded_to
  }

  newDongle(): StoredDongle {
    return new StoredDongle(this.database, this.newDevices(1))
  }

  /** A new dongle that drove every two hours, for a quarter of an hour unless told otherwise. */
  async drivenDongle(drives: number, minutes = 15): Promise<StoredDongle> {
    const dongle = this.newDongle()
    const samples = Array.from({ length: drives }, (_, drive) =>
      dongle.drive(drive * 120, drive * 120 + minutes),
    ).flat()
    await this.store([...samples, dongle.at(drives * 120)])
    return dongle
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#intake.stop()
    await this.database.close()
    await this.#drop?.()
  }
}

/** A Monday. */
export const START_MS = Date.UTC(2026, 0, 12)
export const MINUTE_MS = 60_000
const STEP_MINUTES = 1 / 6
/** A hundred metres to the north. */
const STEP_DEG = 100 / 111_195

export interface ShownTrip {
  readonly id: number
  readonly start: number
  readonly end: number
  readonly isOpen: boolean
  readonly modified: string
}

/** A dongle whose histories are folded again; times are minutes after the start. */
export class StoredDongle extends Dongle {
  readonly #database: Database

  constructor(database: Database, id: number) {
    super(START_MS, id)
    this.#database = database
  }

  /** The way goes back to its start before it reaches the pole. */
  override driving(minute: number, more: Values = {}): Sample {
    const lat = 40 + (Math.round(minute / STEP_MINUTES) % 10_000) * STEP_DEG
    return super.driving(minute, { POSITION: { lon: 11.6, lat }, ...more })
  }

  /** A sample every ten seconds, the last one with the ignition off. */
  override drive(from: number, to: number): Sample[] {
    return super.drive(from, to, { stepMinutes: STEP_MINUTES })
  }

  /** Its trips as they are shown, times in milliseconds since 1970. */
  trips(): Promise<ShownTrip[]> {
    return this.#database.rows(sql`
      select id, (extract(epoch from start_time) * 1000)::bigint as start,
        (extract(epoch from end_time) * 1000)::bigint as "end", is_open as "isOpen", modified
      from trips_now where device_id = ${this.id} and deleted is null order by start_time`)
  }

  outdated(rules: OlderRulesName): Promise<void> {
    return makeOutdated(this.#database, this.id, rules)
  }
}
