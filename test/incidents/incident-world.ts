import pino from 'pino'
import { writeTransaction } from '../../src/db/transaction.ts'
import type { IncidentItem } from '../../src/facts/incidents/derive/finding.ts'
import { incidentsPart } from '../../src/facts/incidents/derive/incidents-part.ts'
import { type RivalIncident, supersededIncidents } from '../../src/facts/incidents/derive/told-once.ts'
import { NO_RULES, readRulesOf } from '../../src/facts/incidents/rule-books.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { isIn } from '../../src/model/time-range.ts'
import { admitDevices } from '../../src/pipeline/admit-devices.ts'
import type { Intake } from '../../src/pipeline/intake.ts'
import { Failing } from '../../src/pipeline/out-of-order/failing.ts'
import { moveDevice } from '../../src/pipeline/out-of-order/move-device.ts'
import { tellSilence } from '../../src/pipeline/out-of-order/silent-incidents.ts'
import type { StretchSize } from '../../src/pipeline/upgrade/fold-stretch.ts'
import { refoldByRules } from '../../src/pipeline/upgrade/refold-by-rules.ts'
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
  readonly startPosition: { readonly lat: number; readonly lon: number } | null
  readonly startAddress: { readonly id: string } | null
  readonly acknowledged: { readonly by: string; readonly note: string } | null
  readonly deleteTimestamp: string | null
  readonly modifyTimestamp: string
}

/** What of an incident follows from samples and rules. */
interface ToldIncident {
  readonly deviceId: number
  readonly ruleId: string
  readonly ruleVersion: number
  readonly startTimestamp: string
  readonly endTimestamp: string | null
  readonly peak: number | null
}

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
  async settle(size?: StretchSize): Promise<void> {
    await settleDevices(this.api.database)
    await this.refoldByRules(size)
    await this.tellSilence()
  }

  async tellSilence(): Promise<void> {
    await tellSilence(this.api.database, new Map(), { pauseMs: 0 })
  }

  /** The background job alone, until nothing waits for it. */
  async refoldByRules(size?: StretchSize): Promise<void> {
    const failing = new Failing()
    const options = {
      pace: { restAfter: async () => undefined },
      signal: new AbortController().signal,
      failing,
      log: pino({ level: 'silent' }),
      ...(size && { size }),
    }
    while ((await refoldByRules(this.api.database, options)) > 0);
    if (failing.count > 0) throw new Error(`${failing.count} devices could not be folded again`)
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

  /** What all samples tell in order under the rules as they are now, where nothing else is in the cars. */
  async toldBy(...dongles: readonly (readonly [DeviceId, readonly Sample[]])[]): Promise<ToldIncident[]> {
    const told = new Map<number, FoundRival[]>()
    for (const [deviceId, samples] of dongles)
      for (const rival of await this.#foundBy(deviceId, samples))
        told.set(rival.vehicleId, [...(told.get(rival.vehicleId) ?? []), rival])
    return [...told.values()]
      .flatMap(ofCar => {
        const superseded = supersededIncidents(ofCar)
        return ofCar.filter(rival => !superseded.has(rival))
      })
      .map(({ item, deviceId }) => toldOf(item, deviceId))
      .sort(byStart)
  }

  async #foundBy(deviceId: DeviceId, samples: readonly Sample[]): Promise<FoundRival[]> {
    const { rules } = (await readRulesOf(this.api.database, [deviceId])).get(deviceId) ?? NO_RULES
    const part = incidentsPart(rules)
    let state = part.begin()
    const done: IncidentItem[] = []
    for (const sample of samples.toSorted((a, b) => a.timeMs - b.timeMs)) {
      const stepped = part.step(state, sample)
      state = stepped.state
      done.push(...stepped.done)
    }
    // The dongle has been silent since.
    const open = part.silentUntil(state, Date.now())
    const rivalOf = (item: IncidentItem, isCutShort: boolean) => {
      const { ruleId, kind, startMs, endMs, hasOdometer } = item
      const stay = rules.assignments.find(each => isIn(each, startMs))
      const more = { areaId: item.areaId ?? 0, detail: item.detail ?? '', hasPosition: item.startLongitude !== null }
      const rival = { deviceId, ruleId, kind, startMs, endMs, isCutShort, hasOdometer, item, ...more }
      return stay ? [{ ...rival, vehicleId: stay.vehicleId }] : []
    }
    return [...done.flatMap(item => rivalOf(item, false)), ...open.flatMap(item => rivalOf(item, item.endMs !== null))]
  }
}

type FoundRival = RivalIncident & { readonly vehicleId: number; readonly item: IncidentItem }

function toldOf(item: IncidentItem, deviceId: DeviceId): ToldIncident {
  return {
    deviceId,
    ruleId: String(item.ruleId),
    ruleVersion: item.ruleVersion,
    startTimestamp: new Date(item.startMs).toISOString(),
    endTimestamp: item.endMs === null ? null : new Date(item.endMs).toISOString(),
    peak: item.peak,
  }
}

/** The same of listed incidents. */
export function shownAsTold(incidents: readonly ShownIncident[]): ToldIncident[] {
  return incidents
    .map(({ deviceId, ruleId, ruleVersion, startTimestamp, endTimestamp, peak }) => ({
      deviceId,
      ruleId,
      ruleVersion,
      startTimestamp,
      endTimestamp,
      peak: peak?.value ?? null,
    }))
    .sort(byStart)
}

function byStart(a: ToldIncident, b: ToldIncident): number {
  const [first, second] = [a, b].map(
    item => `${item.startTimestamp} ${item.ruleId} ${item.ruleVersion} ${item.deviceId} ${item.endTimestamp}`,
  )
  return (first ?? '') < (second ?? '') ? -1 : 1
}
