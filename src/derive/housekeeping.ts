import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { othersShardsWait } from '../db/shards/kept-shards.ts'
import { type Statement, sql } from '../db/sql.ts'
import { createAddressJobs, type GeocoderUse } from '../geo/address-jobs.ts'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import type { Partitions } from '../store/index.ts'
import { QUESTIONS_WAIT } from './addresses/questions.ts'
import { ADDRESSES_WAIT } from './addresses/waiting.ts'
import { BackgroundJobs } from './background-jobs.ts'
import type { Backlog } from './backlog/backlog.ts'
import { watchBusyShare } from './backlog/busy-share.ts'
import { deriveOrphaned } from './backlog/orphaned.ts'
import { ACCOUNT_DAYS_WAIT, refreshAccountDays } from './days/refresh-account-days.ts'
import { DUE_DEVICES_WAIT } from './device-records/fold-states.ts'
import { REFOLDS_BY_RULES_WAIT } from './device-records/refolds.ts'
import { RULE_CHANGES_WAIT } from './incidents/rule-changes.ts'
import type { JobFailures } from './job-failures.ts'
import { sweepOffline } from './online-sweep.ts'
import { Failing } from './out-of-order/failing.ts'
import { outOfOrderDevices, reconcileOutOfOrder } from './out-of-order/reconcile.ts'
import { type KnownSilence, tellSilence } from './out-of-order/silent-incidents.ts'
import { endSilentTrips } from './out-of-order/silent-trips.ts'
import { releaseStaleClaims } from './release-claims.ts'
import { startRetention } from './retention.ts'
import type { SealingOptions } from './sealing/seal-history.ts'
import { startSealing } from './sealing/start-sealing.ts'
import { lowPriority } from './upgrade/pace.ts'
import { type RefoldObserver, RefoldProgress } from './upgrade/progress.ts'
import { refoldByRules } from './upgrade/refold-by-rules.ts'
import { refoldOutdated } from './upgrade/refold-outdated.ts'
import { WaitingWork } from './waiting-work.ts'

const SWEEP_INTERVAL_S = 10
/** Fewer than the connections for writing, so that samples still find one. */
const RECONCILE_PARALLEL = 3
const SILENCE_INTERVAL_S = 10
const REFOLD_INTERVAL_S = 10
const CLAIMS_INTERVAL_S = 600
const YEARS_INTERVAL_S = 3600
/** When the process is busier than this, refolding histories has to wait. */
const BUSY_FROM = 0.6

interface HousekeepingOptions {
  readonly database: Database
  /** What this process remembers of what it has stored. */
  readonly backlog: Backlog
  readonly partitions: Partitions
  readonly onlineWindowS: number
  readonly retentionDays: number | undefined
  /** `SEALED_AFTER_DAYS`; undefined: nothing is sealed. */
  readonly sealedAfterDays: number | undefined
  readonly securityLogDays: number
  /** `CLAIM_DAYS` */
  readonly claimDays: number
  /** `TOMBSTONE_DAYS` */
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

/**
 * Starts the background jobs: out-of-order samples are folded, silent trips and incidents end, silent devices turn offline, days are summed
 * up, addresses are looked up, stale claims are released, histories are refolded after an upgrade or when rules changed, old days are
 * sealed, old weeks are merged and dropped.
 * @returns a function that stops them.
 */
export function startHousekeeping({
  database,
  backlog,
  partitions,
  onlineWindowS,
  claimDays,
  geocoder,
  log,
  observeReconciling,
  observeRefolding,
  failures,
  clock = SYSTEM_CLOCK,
  ...options
}: HousekeepingOptions): () => Promise<void> {
  const jobs = new BackgroundJobs({ log, failures, clock })
  const { signal } = jobs
  const waiting = new WaitingWork(database, () => conditionsOf(geocoder, backlog.leaseOwner), signal, clock)
  const whenWaiting = (kind: Waiting, name: string, job: () => Promise<void>) =>
    jobs.whenWaiting(waiting, kind, name, job)
  const addresses = createAddressJobs(database, geocoder, log)
  const busyShare = watchBusyShare()
  const failing = new Failing(clock)
  const due = outOfOrderDevices({ database, backlog, failing, clock })
  let reconciling = 0
  const pace = lowPriority(() => reconciling > 0 || busyShare() >= BUSY_FROM, signal)
  const refolding = {
    pace,
    signal,
    failing: new Failing(clock),
    progress: new RefoldProgress(log, clock),
    log,
    observe: observeRefolding,
    backlog,
  }
  const knownSilence: KnownSilence = new Map()
  const byRules = { pace, signal, failing: new Failing(clock), log, backlog }

  jobs.every(SWEEP_INTERVAL_S, 'online sweep', async () => {
    const turned = await sweepOffline(database, { windowS: onlineWindowS, intervalS: SWEEP_INTERVAL_S, backlog })
    if (turned > 0) log.info({ devices: turned }, 'devices turned offline')
  })
  for (let parallel = 0; parallel < RECONCILE_PARALLEL; parallel++)
    whenWaiting('devices', 'folding out-of-order samples', async () => {
      reconciling++
      try {
        const reconcile = () =>
          reconcileOutOfOrder({ database, backlog, failing, log, observe: observeReconciling, due })
        while (!signal.aborted && (await reconcile()) > 0);
      } finally {
        reconciling--
      }
    })
  jobs.every(SILENCE_INTERVAL_S, 'ending silent trips', async () => {
    const ended = await endSilentTrips(database, backlog)
    if (ended > 0) log.info({ trips: ended }, 'trips of silent devices ended')
  })
  whenWaiting('othersShards', 'deriving what nobody remembers', async () => {
    const shards = await deriveOrphaned({ database, backlog, log })
    if (shards > 0) log.info({ shards }, 'derived what a process that ended had left waiting')
  })
  whenWaiting('accountDays', 'summing up days', async () => {
    while (!signal.aborted && (await refreshAccountDays(database)));
  })
  jobs.every(SILENCE_INTERVAL_S, 'telling silence', async () => {
    const devices = await tellSilence(database, knownSilence, { backlog })
    if (devices > 0) log.info({ devices }, 'incidents of silent devices worked out')
  })
  whenWaiting('rules', 'folding again by changed rules', async () => {
    const devices = await refoldByRules(database, byRules)
    if (devices > 0) log.info({ devices }, 'devices folded again by changed rules')
  })
  jobs.every(REFOLD_INTERVAL_S, 'folding histories again', () => refoldOutdated(database, refolding))
  jobs.everyNowAndThen(YEARS_INTERVAL_S, 'merging weeks', async () => {
    const merged = await partitions.mergeYears()
    if (merged.length > 0) log.info({ merged }, 'put the weeks of past years into one table each')
  })
  jobs.everyNowAndThen(CLAIMS_INTERVAL_S, 'giving up claims', async () => {
    for (const { deviceId, accountId } of await releaseStaleClaims(database, claimDays))
      log.info({ deviceId, accountId }, 'gave up a dongle that an account had registered and that never reported')
  })
  whenWaiting('addresses', 'filling in addresses', () => addresses.fillWaiting(signal))
  whenWaiting('questions', 'asking the geocoder', () => addresses.askGeocoder(signal))
  startSealing(jobs, { database, partitions, pace, log, clock, ...options })
  startRetention(jobs, { database, partitions, log, clock, ...options })

  return async () => {
    await jobs.stop()
    await waiting.close()
  }
}

type Waiting = 'devices' | 'accountDays' | 'rules' | 'addresses' | 'questions' | 'othersShards'

function conditionsOf(geocoder: GeocoderUse | undefined, leaseOwner: number): Readonly<Record<Waiting, Statement>> {
  return {
    devices: DUE_DEVICES_WAIT,
    accountDays: ACCOUNT_DAYS_WAIT,
    rules: sql`(${RULE_CHANGES_WAIT} or ${REFOLDS_BY_RULES_WAIT})`,
    addresses: ADDRESSES_WAIT,
    questions: geocoder ? QUESTIONS_WAIT : sql`false`,
    othersShards: othersShardsWait(leaseOwner),
  }
}
