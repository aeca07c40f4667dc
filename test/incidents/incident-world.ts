import pino from 'pino'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { Failing } from '../../src/derive/failing.ts'
import type { HistorySize } from '../../src/derive/folding.ts'
import { deriveHistories, RefoldProgress } from '../../src/derive/histories.ts'
import { enterRuleChanges } from '../../src/derive/incidents/rule-changes.ts'
import { markSilent } from '../../src/derive/silence.ts'
import { admitDevices, moveDevice } from '../../src/fleet/with-consequences.ts'
import type { Intake } from '../../src/ingest/intake.ts'
import type { Sample } from '../../src/model/sample.ts'
import { startApi, type TestApi, type TestClient } from '../api.ts'
import { Dongle } from '../dongle.ts'
import { intakeOf } from '../intake.ts'
import { deriveWaiting, settleDevices } from '../settled.ts'

/** An incident as the API lists it, as far as tests look at it. */
export interface ShownIncident {
  readonly id: string
  readonly ruleId: string
  readonly ruleVersion: number
  readonly kind: string
  readonly severity: string
  readonly vehicleId: string
  readonly deviceId: number
  readonly tripId: string | null
  readonly startTimestamp: string
  readonly endTimestamp: string | null
  readonly peak: { readonly value: number; readonly unit: string } | null
  readonly areaId: string | null
  readonly detail: string | null
  readonly startPosition: { readonly lat: number; readonly lon: number } | null
  readonly startAddress: { readonly id: string } | null
  readonly acknowledged: { readonly timestamp: string; readonly by: string; readonly note: string } | null
  readonly deleteTimestamp: string | null
  readonly modifyTimestamp: string
}

const PATIENCE_MS = 100_000
export const WORLD_START_MS = Date.UTC(2026, 0, 12)

/** An API with an intake, and accounts with rules. */
export class IncidentWorld {
  readonly api: TestApi
  readonly intake: Intake

  constructor(api: TestApi) {
    this.api = api
    this.intake = intakeOf(api, 'reject')
  }

  static async make(environment?: Record<string, string>): Promise<IncidentWorld> {
    return new IncidentWorld(await startApi(environment))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.intake.stop()
    await this.api.stop()
  }

  async dongle({ accountId }: Pick<TestClient, 'accountId'>): Promise<Dongle> {
    const dongle = new Dongle(WORLD_START_MS)
    await writeTransaction(this.api.database, transaction =>
      admitDevices(transaction, [{ deviceId: dongle.id, accountId }], { firstAccountId: accountId }),
    )
    return dongle
  }

  /** A dongle that is in the car of another one from a minute on. */
  async dongleBeside(client: Pick<TestClient, 'accountId'>, other: Dongle, fromMinute = -600): Promise<Dongle> {
    const dongle = await this.dongle(client)
    await this.move(dongle, other.imei, fromMinute)
    return dongle
  }

  /** Puts a dongle into a car, from a minute on. */
  async move(dongle: Dongle, car: string, fromMinute: number): Promise<void> {
    const outcome = await moveDevice(this.api.database, {
      deviceId: dongle.id,
      to: { kind: 'named', name: car },
      accountId: undefined,
      atMs: WORLD_START_MS + fromMinute * 60_000,
    })
    if (outcome.kind !== 'moved') throw new Error(JSON.stringify(outcome))
  }

  async send(...samples: readonly Sample[]): Promise<void> {
    const outcome = await this.intake.submit({ accountId: undefined, samples })
    if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome))
    await deriveWaiting(this.api.database)
  }

  /** Derives everything that waits: out-of-order samples, and what changed rules are to find. */
  async settle(size?: HistorySize): Promise<void> {
    await settleDevices(this.api.database)
    await this.refoldByRules(size)
    await this.tellSilence()
  }

  async tellSilence(): Promise<void> {
    await markSilent(this.api.database, new Map(), 0)
    await settleDevices(this.api.database)
  }

  /** The background job alone, until nothing waits for it: a change does while any transaction is open that may not know it. */
  async refoldByRules(size?: HistorySize): Promise<void> {
    for (const untilMs = Date.now() + PATIENCE_MS; ; ) {
      while ((await this.refoldOnce(size)) > 0);
      if ((await this.api.database.rows(sql`select from rule_changes`)).length === 0) return
      if (Date.now() > untilMs) throw new Error('changes of rules wait for a transaction that does not end')
    }
  }

  /** The job as it runs once. @returns how many devices were done */
  async refoldOnce(size?: HistorySize): Promise<number> {
    await enterRuleChanges(this.api.database)
    const failing = new Failing()
    const log = pino({ level: 'silent' })
    const done = await deriveHistories(this.api.database, {
      pace: { restAfter: async () => undefined },
      signal: new AbortController().signal,
      failing,
      progress: new RefoldProgress(log),
      log,
      observe: { waiting: () => undefined, written: () => undefined },
      ...(size && { size }),
    })
    if (failing.count > 0) throw new Error(`${failing.count} devices could not be folded again`)
    return done
  }

  async createRule(client: TestClient, rule: object): Promise<string> {
    const reply = await client.send('POST', '/rules', { name: 'a rule', fromTimestamp: '2026-01-01', ...rule })
    if (reply.statusCode !== 201) throw new Error(reply.body)
    return reply.json<{ id: string }>().id
  }

  async listed(client: TestClient, query = ''): Promise<ShownIncident[]> {
    const reply = await client.get(`/incidents?maxResults=10000&fromTimestamp=1970-01-01&${query}`)
    if (reply.statusCode !== 200) throw new Error(reply.body)
    return reply.json<{ incidents: ShownIncident[] }>().incidents
  }
}
