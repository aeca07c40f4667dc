import type { Logger } from 'pino'
import { dropSecurityLinesBefore } from '../access/security-log.ts'
import { earlierClockMs } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { dropUnusedLayouts } from '../db/layouts.ts'
import { LOCKS, whenAlone } from '../db/locks.ts'
import { dropRejectedFramesBefore } from '../db/rejected-frames.ts'
import { type Statement, sql } from '../db/sql.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { ADDRESSES_WAIT, QUESTIONS_WAIT } from '../derive/addresses/addresses.ts'
import { ACCOUNT_DAYS_WAIT, refreshAccountDays } from '../derive/days/account-days.ts'
import { countOutdated, DEVICES_WAIT, enterOutdatedHistories, HISTORIES_WAIT } from '../derive/due.ts'
import { Engine, watchBusyShare } from '../derive/engine.ts'
import { Failing } from '../derive/failing.ts'
import { deriveHistories, lowPriority, type RefoldObserver, RefoldProgress } from '../derive/histories.ts'
import { enterRuleChanges, RULE_CHANGES_WAIT } from '../derive/incidents/rule-changes.ts'
import { type KnownSilence, markSilent } from '../derive/silence.ts'
import { sweepTombstones } from '../fleet/erase-device.ts'
import { releaseStaleClaims } from '../fleet/with-consequences.ts'
import { fillWaitingAddresses, GeocoderQueue, type GeocoderUse } from '../geo/address-jobs.ts'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import { DAY_MS } from '../model/time-range.ts'
import { dropMisdatedBefore, type Partitions } from '../store/index.ts'
import { BackgroundJobs, type JobFailures } from './background-jobs.ts'
import { sweepOffline } from './online-sweep.ts'
import { type SealingOptions, sealHistory } from './seal-history.ts'
import { WaitingWork } from './waiting-work.ts'

const SWEEP_INTERVAL_S = 10
/** Fewer than the connections for writing, so that samples still find one. */
const DERIVE_PARALLEL = 3
const SILENCE_INTERVAL_S = 10
const OUTDATED_INTERVAL_S = 10
const CLAIMS_INTERVAL_S = 600
const SEALING_INTERVAL_S = 600
const CHORES_INTERVAL_S = 3600
/** When the process is busier than this, refolding histories has to wait. */
const BUSY_FROM = 0.6

interface HousekeepingOptions {
  readonly database: Database
  /** Of this process, where samples are stored here; one of its own otherwise. */
  readonly engine?: Engine
  readonly partitions: Partitions
  readonly onlineWindowS: number
  readonly retentionDays: number | undefined
  /** `SEALED_AFTER_DAYS`; undefined: nothing is sealed. */
  readonly sealedAfterDays: number | undefined
  readonly securityLogDays: number
  readonly claimDays: number
  readonly tombstoneDays: number
  /** undefined when only the gazetteer is used. */
  readonly geocoder: GeocoderUse | undefined
  readonly log: Logger
  /** How long it took to fold the out-of-order samples of a device. */
  readonly observeReconciling: (seconds: number) => void
  readonly observeRefolding: RefoldObserver
  readonly observeSealing: SealingOptions['observe']
  readonly failures: JobFailures
  readonly clock?: Clock
}

/** @returns a function that stops them */
export function startHousekeeping({
  database,
  partitions,
  onlineWindowS,
  claimDays,
  geocoder,
  log,
  observeReconciling,
  observeRefolding,
  sealedAfterDays,
  observeSealing,
  failures,
  clock = SYSTEM_CLOCK,
  engine = new Engine({ database, log, clock }),
  ...options
}: HousekeepingOptions): () => Promise<void> {
  const jobs = new BackgroundJobs({ log, failures, clock })
  const { signal } = jobs
  const waiting = new WaitingWork(database, () => conditionsOf(geocoder), signal, clock)
  const whenWaiting = (kind: Waiting, name: string, job: () => Promise<void>) =>
    jobs.whenWaiting(waiting, kind, name, job)
  const queue = geocoder && new GeocoderQueue({ database, ...geocoder, log })
  const busyShare = watchBusyShare()
  let deriving = 0
  const pace = lowPriority(() => deriving > 0 || busyShare() >= BUSY_FROM, signal)
  const histories = {
    pace,
    signal,
    failing: new Failing(clock),
    progress: new RefoldProgress(log, clock),
    log,
    observe: observeRefolding,
  }
  const knownSilence: KnownSilence = new Map()

  jobs.every(SWEEP_INTERVAL_S, 'online sweep', async () => {
    const turned = await sweepOffline(database, { windowS: onlineWindowS, intervalS: SWEEP_INTERVAL_S })
    if (turned > 0) log.info({ devices: turned }, 'devices turned offline')
  })
  for (let parallel = 0; parallel < DERIVE_PARALLEL; parallel++)
    whenWaiting('devices', 'deriving what is due', async () => {
      deriving++
      try {
        while (!signal.aborted && (await engine.deriveReady(signal, observeReconciling)) > 0);
      } finally {
        deriving--
      }
    })
  jobs.every(SILENCE_INTERVAL_S, 'deciding silence', async () => {
    const devices = await markSilent(database, knownSilence)
    if (devices > 0) log.info({ devices }, 'devices fell silent')
  })
  whenWaiting('accountDays', 'summing up days', async () => {
    while (!signal.aborted && (await refreshAccountDays(database)));
  })
  whenWaiting('rules', 'entering changed rules', () => enterRuleChanges(database))
  jobs.every(OUTDATED_INTERVAL_S, 'looking for outdated histories', async () => {
    const outdated = await countOutdated(database)
    if (outdated > 0) await enterOutdatedHistories(database)
    observeRefolding.waiting(outdated, Math.min(histories.failing.count, outdated))
  })
  whenWaiting('histories', 'folding histories again', async () => {
    await whenAlone(database, LOCKS.histories, async () => void (await deriveHistories(database, histories)))
  })
  jobs.everyNowAndThen(CHORES_INTERVAL_S, 'merging weeks', async () => {
    const merged = await partitions.mergeYears()
    if (merged.length > 0) log.info({ merged }, 'put the weeks of past years into one table each')
  })
  jobs.everyNowAndThen(CLAIMS_INTERVAL_S, 'giving up claims', async () => {
    for (const { deviceId, accountId } of await releaseStaleClaims(database, claimDays))
      log.info({ deviceId, accountId }, 'gave up a dongle that an account had registered and that never reported')
  })
  whenWaiting('addresses', 'filling in addresses', async () => {
    while (!signal.aborted && (await fillWaitingAddresses(database)) > 0);
  })
  if (queue)
    whenWaiting('questions', 'asking the geocoder', async () => {
      while (!signal.aborted && (await queue.askOne(signal)));
    })
  if (sealedAfterDays !== undefined) {
    const failing = new Failing(clock)
    const sealing = {
      afterDays: sealedAfterDays,
      partitions,
      pace,
      signal,
      failing,
      log,
      clock,
      observe: observeSealing,
    }
    jobs.every(SEALING_INTERVAL_S, 'sealing old days', async () => {
      const days = await sealHistory(database, sealing)
      if (days > 0) log.info({ days }, 'sealed old days')
    })
  }
  startRetention(jobs, { database, partitions, log, clock, ...options })

  return async () => {
    await jobs.stop()
    await waiting.close()
  }
}

type Waiting = 'devices' | 'histories' | 'rules' | 'accountDays' | 'addresses' | 'questions'

function conditionsOf(geocoder: GeocoderUse | undefined): Readonly<Record<Waiting, Statement>> {
  return {
    devices: DEVICES_WAIT,
    histories: HISTORIES_WAIT,
    rules: RULE_CHANGES_WAIT,
    accountDays: ACCOUNT_DAYS_WAIT,
    addresses: ADDRESSES_WAIT,
    questions: geocoder ? QUESTIONS_WAIT : sql`false`,
  }
}

type RetentionOptions = Pick<
  HousekeepingOptions,
  'database' | 'partitions' | 'retentionDays' | 'securityLogDays' | 'tombstoneDays' | 'log'
> & { readonly clock: Clock }

function startRetention(
  jobs: BackgroundJobs,
  { database, partitions, retentionDays, securityLogDays, tombstoneDays, log, clock }: RetentionOptions,
): void {
  jobs.everyNowAndThen(CHORES_INTERVAL_S, 'retention of the security log', () => {
    const beforeMs = clock.wallMs() - securityLogDays * DAY_MS
    return untilNothingIsLeft(transaction => dropSecurityLinesBefore(transaction, beforeMs))
  })
  jobs.everyNowAndThen(CHORES_INTERVAL_S, 'sweeping what deleted dongles left', () => {
    const beforeMs = clock.wallMs() - tombstoneDays * DAY_MS
    return untilNothingIsLeft(transaction => sweepTombstones(transaction, beforeMs))
  })
  if (retentionDays === undefined) return
  jobs.everyNowAndThen(CHORES_INTERVAL_S, 'retention', async () => {
    const beforeMs = (await earlierClockMs(database, clock)) - retentionDays * DAY_MS
    const dropped = await partitions.dropBefore(beforeMs)
    const misdated = await writeTransaction(database, transaction => dropMisdatedBefore(transaction, beforeMs))
    const rejected = await writeTransaction(database, transaction => dropRejectedFramesBefore(transaction, beforeMs))
    const layouts = await dropUnusedLayouts(database)
    if (dropped.length > 0 || misdated > 0 || rejected > 0 || layouts > 0)
      log.info({ dropped, misdated, rejected, layouts }, 'dropped measurements beyond RETENTION_DAYS')
  })

  async function untilNothingIsLeft(drop: (transaction: Transaction) => Promise<number>): Promise<void> {
    while (!jobs.signal.aborted && (await writeTransaction(database, drop)) > 0);
  }
}
