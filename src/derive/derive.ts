import type { Database } from '../db/database.ts'
import { type LockedDevice, type LockedDevices, lockDevice, lockDevices, lockFreeDevices } from '../db/shards.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import { holdKeptSince, readKeptSince, readNewestOfLayouts, readStretch } from '../store/index.ts'
import { type DeviceRecord, readDeviceRecords } from './device-records.ts'
import {
  clearDue,
  type DueDevice,
  type DueRow,
  enterHistories,
  moveHistoryOn,
  noteFoldedBesideHistory,
  PRIORITY,
  readDue,
  readHistory,
  writeFoldedByNow,
} from './due.ts'
import { FACTS } from './facts.ts'
import {
  canCutAt,
  continueFold,
  endSilence,
  type FoldResult,
  foldAgain,
  foldHistory,
  type HistoryPiece,
  type HistorySize,
} from './folding.ts'
import { type KnownDevice, KnownDevices } from './known-devices.ts'
import { reconcileAssignments } from './reconcile-assignments.ts'
import { type DeviceResult, extentAfter, writeResults } from './results.ts'
import { touchVehicles } from './trips/shared-cars.ts'

/* Deriving what is due: many devices that go on from their states together, what came late of one device, in which cars
 * it was, and a history piece by piece. */

/** Derives devices in order, in one transaction. @param isWaiting it waits for locked devices
 * @returns those with late samples, those of which it is due in which cars they were, and those that others have locked */
export function deriveTogether(
  database: Database,
  deviceIds: readonly DeviceId[],
  knownDevices = new KnownDevices(),
  isWaiting = true,
): Promise<{
  readonly late: ReadonlySet<DeviceId>
  readonly withCars: readonly DeviceId[]
  readonly blocked: readonly DeviceId[]
}> {
  return writeTransaction(database, async transaction => {
    const locked = await (isWaiting ? lockDevices : lockFreeDevices)(transaction, deviceIds)
    const { done, others, withCars } = await deriveInOrder(locked, knownDevices)
    knownDevices.remember(locked, leave => done.forEach(leave))
    const free = new Set(locked.deviceIds)
    return {
      late: new Set(others.map(({ deviceId }) => deviceId)),
      withCars,
      blocked: deviceIds.filter(deviceId => !free.has(deviceId)),
    }
  })
}

interface DerivedInOrder {
  /** With what is known of them now; undefined for a device that does not exist. */
  readonly done: ReadonlyMap<DeviceId, KnownDevice | undefined>
  /** They are not in order. */
  readonly others: readonly DueRow[]
  /** In which cars these were is due now. */
  readonly withCars: readonly DeviceId[]
}

/** The same for devices that are locked already. */
async function deriveInOrder(locked: LockedDevices, knownDevices = new KnownDevices()): Promise<DerivedInOrder> {
  const { transaction } = locked
  const due = await readDue(locked)
  if (due.size === 0) return { done: new Map(), others: [], withCars: [] }
  const records = await readDeviceRecords(transaction, [...due.keys()])
  const others: DueRow[] = []
  const rows: DueRow[] = []
  const results: DeviceResult[] = []
  const silent: DeviceId[] = []
  const done = new Map<DeviceId, KnownDevice | undefined>()
  for (const row of due.values()) {
    const { deviceId } = row
    const record = records.get(deviceId)
    if (record && !isInOrder(record, row)) {
      others.push(row)
      continue
    }
    rows.push(row)
    done.set(deviceId, undefined)
    if (!record) continue
    const isSilent = row.priority === PRIORITY.silence
    const remembered = knownDevices.remembered(locked, deviceId)?.due
    const isCurrent = remembered?.version === row.version
    const samples = (isCurrent && remembered.samples) || (await readFrom(transaction, row))
    if (isSilent) silent.push(deviceId)
    results.push({
      record,
      samples,
      receivedMs: isCurrent ? remembered.receivedMs : row.receivedMs,
      folded: samples.length > 0 ? continueFold(record, samples) : isSilent ? endSilence(record) : undefined,
    })
    done.set(deviceId, knownFrom(record, samples))
  }
  const withCars = await writeResults(locked.devices(results.map(({ record }) => record.deviceId)), results)
  if (silent.length > 0) for (const { silence } of FACTS) await silence?.(locked.devices(silent))
  await clearDue(locked, rows)
  return { done, others, withCars }
}

/** What is known of a device of which all is derived. */
function knownFrom(record: DeviceRecord, samples: readonly Sample[]): KnownDevice {
  const { assignments, isClaimed } = record
  const { firstMs, lastMs } = extentAfter({ record, samples })
  return { assignments, isClaimed, firstMs, lastMs, derivedMs: lastMs, due: undefined }
}

/** A device goes on from its state with what is new, so that nothing before is to be folded again. */
function isInOrder({ extent, fold }: DeviceRecord, { fromMs, lastMs }: DueRow): boolean {
  if (!extent || fromMs === Number.POSITIVE_INFINITY) return true
  return lastMs !== undefined && fold !== undefined && fromMs >= extent.lastMs
}

/** Of a device that is in order: the samples that changed. */
async function readFrom(transaction: Transaction, { deviceId, fromMs, lastMs }: DueRow): Promise<readonly Sample[]> {
  if (lastMs === undefined || fromMs === Number.POSITIVE_INFINITY) return []
  const samples: Sample[] = []
  for await (const some of readStretch(transaction, deviceId, fromMs)) samples.push(...some)
  return samples
}

/** Folding this many takes some 50 ms. */
const MOST_LOCKED_SAMPLES = 4000

/** Derives what is due of a device, of one kind. @returns false when nothing was due any more, or when it was stopped */
export async function deriveDue(
  database: Database,
  { deviceId, kind }: Pick<DueDevice, 'deviceId' | 'kind'>,
  signal: AbortSignal = new AbortController().signal,
  knownDevices?: KnownDevices,
): Promise<boolean> {
  if (kind === 'history') return deriveHistory(database, deviceId, { rest: async () => undefined, signal })
  if (kind === 'samples') return (await deriveLate(database, deviceId, knownDevices)) !== 'nothing due'
  return writeTransaction(database, async transaction =>
    deriveCars((await lockDerived(transaction, [deviceId])).device(deviceId)),
  )
}

function deriveLate(database: Database, deviceId: DeviceId, knownDevices?: KnownDevices): Promise<DerivedSamples> {
  return writeTransaction(database, async transaction => {
    const locked = await lockDevice(transaction, deviceId)
    knownDevices?.remember(locked, leave => leave(undefined, deviceId))
    return deriveSamples(locked, MOST_LOCKED_SAMPLES)
  })
}

type DerivedSamples = 'nothing due' | 'derived' | 'left to a history'

/** Derives all that is due of a device because of what it sent. @returns false when that was nothing */
export async function deriveDevice(
  database: Database,
  deviceId: DeviceId,
  signal?: AbortSignal,
  knownDevices?: KnownDevices,
): Promise<boolean> {
  const folded = await deriveLate(database, deviceId, knownDevices)
  if (folded === 'left to a history') await deriveDue(database, { deviceId, kind: 'history' }, signal)
  const isPlaced = await deriveDue(database, { deviceId, kind: 'cars' })
  return isPlaced || folded !== 'nothing due'
}

/** Works out in which cars a device was, and moves what follows from its samples there. What is in order is derived
 * already (`lockDerived`): facts that move are looked up among the stored samples. */
export async function deriveCars(locked: LockedDevice): Promise<boolean> {
  const row = (await readDue(locked, 'cars')).get(locked.deviceId)
  if (!row) return false
  await reconcileAssignments(locked)
  await clearDue(locked, [row])
  return true
}

/** Derives what changed samples of a device change: what came late is folded again. Many samples become a history, so
 * that other devices of the shard do not wait. */
export async function deriveSamples(
  locked: LockedDevice,
  mostSamples = Number.POSITIVE_INFINITY,
): Promise<DerivedSamples> {
  const { transaction, deviceId } = locked
  const { done, others } = await deriveInOrder(locked)
  const [row] = others
  if (!row) return done.size > 0 ? 'derived' : 'nothing due'
  const keptSinceMs = await holdKeptSince(transaction)
  const record = (await readDeviceRecords(transaction, [deviceId])).get(deviceId)
  if (!record) return 'nothing due'
  const folded = await foldAgain(transaction, deviceId, { ...row, keptSinceMs, context: record }, mostSamples)
  const isLeft = folded === 'too many'
  await writeAgain(locked, record, row, isLeft ? undefined : folded)
  if (isLeft) await enterHistories(transaction, [row], PRIORITY.late)
  else await noteFoldedBesideHistory(locked)
  await clearDue(locked, [row])
  return isLeft ? 'left to a history' : 'derived'
}

/** With more samples, what follows from them in any order is worked out anew from all of the device. */
const MOST_CHANGED_SAMPLES = 20_000

async function writeAgain(
  locked: LockedDevice,
  record: DeviceRecord,
  row: DueRow,
  folded: FoldResult | undefined,
): Promise<void> {
  const { transaction } = locked
  const samples = row.lastMs === undefined ? [] : await readChanged(transaction, row)
  const { receivedMs } = row
  // Of so many, the newest is looked for: a mark may reach farther.
  const lastMs = samples ? undefined : await readNewestMs(transaction, record, row)
  await writeResults(locked, [{ record, samples: samples ?? [], lastMs, receivedMs, folded }])
  if (!samples) for (const { rebuild } of FACTS) await rebuild?.(locked, record.assignments)
}

/** The samples of a range in which some changed; undefined when there are too many. */
async function readChanged(
  transaction: Transaction,
  { deviceId, fromMs, toMs }: DueRow,
): Promise<readonly Sample[] | undefined> {
  const samples: Sample[] = []
  if (fromMs > toMs) return samples
  for await (const some of readStretch(transaction, deviceId, fromMs)) {
    for (const sample of some) if (sample.timeMs <= toMs) samples.push(sample)
    if (samples.length > MOST_CHANGED_SAMPLES) return undefined
    if ((some.at(-1)?.timeMs ?? toMs) >= toMs) break
  }
  return samples
}

async function readNewestMs(
  transaction: Transaction,
  { deviceId, extent }: DeviceRecord,
  { toMs }: DueRow,
): Promise<number | undefined> {
  const range = { deviceId, fromMs: extent?.lastMs ?? Number.NEGATIVE_INFINITY, toMs: toMs + 1 }
  const newest = await readNewestOfLayouts(transaction, range)
  return newest.length > 0 ? Math.max(...newest.map(({ timeMs }) => timeMs)) : undefined
}

/** Writing some 200 rows takes 20 to 40 ms, during which the shard of the device is locked. */
const PIECE_SIZE: HistorySize = { chunk: 2000, samples: 20_000, rows: 200 }
/** After this many attempts, when late samples are folded all the time, a piece is folded while the device is locked. */
const OVERTAKEN_OFTEN = 3
/** Late samples that interfered are probably still arriving. */
const OVERTAKEN_PAUSE_MS = 300

interface HistoryOptions {
  /** Rests in proportion to the work done. */
  readonly rest: (workedMs: number) => Promise<void>
  readonly signal: AbortSignal
  /** Called with the time of each transaction that wrote a piece. */
  readonly observeWritten?: (seconds: number) => void
  readonly size?: HistorySize
}

type PieceOutcome = 'more' | 'done' | 'overtaken'

/** Folds the history of a device again from where it was left. Only to write a piece is the device locked, for
 * milliseconds. @returns whether all of it is done; false when it was stopped */
export async function deriveHistory(database: Database, deviceId: DeviceId, options: HistoryOptions): Promise<boolean> {
  const { rest, signal, observeWritten, size = PIECE_SIZE } = options
  for (let overtaken = 0; !signal.aborted; ) {
    const isLocked = overtaken >= OVERTAKEN_OFTEN
    const piece = isLocked
      ? undefined
      : await readPiece(database, deviceId, { size, rest, isStopped: () => signal.aborted })
    if (piece === 'done') return true
    if (piece === 'stopped') return false
    const startedMs = performance.now()
    const outcome = await writePiece(database, deviceId, piece, size)
    const workedMs = performance.now() - startedMs
    observeWritten?.(workedMs / 1000)
    overtaken = outcome === 'overtaken' ? overtaken + 1 : 0
    // After the last piece as well: the next history begins right after it.
    await rest(outcome === 'overtaken' ? OVERTAKEN_PAUSE_MS : workedMs)
    if (outcome === 'done') return true
  }
  return false
}

interface Piece {
  readonly row: DueRow
  readonly piece: HistoryPiece
  /** These must be unchanged when it is written. */
  readonly keptSinceMs: number
  readonly contextKey: string
}

async function readPiece(
  source: Database | Transaction,
  deviceId: DeviceId,
  options: Parameters<typeof foldHistory>[3],
): Promise<Piece | 'done' | 'stopped'> {
  const row = await readHistory(source, deviceId)
  const record = (await readDeviceRecords(source, [deviceId])).get(deviceId)
  if (!row || !record) return 'done'
  const keptSinceMs = await readKeptSince(source)
  const piece = await foldHistory(source, record, { ...row, keptSinceMs }, options)
  return piece ? { row, piece, keptSinceMs, contextKey: record.contextKey } : 'stopped'
}

/** Writes a piece, with everything that follows from it. @param read undefined: it is folded in this transaction */
function writePiece(
  database: Database,
  deviceId: DeviceId,
  read: Piece | undefined,
  size: HistorySize,
): Promise<PieceOutcome> {
  return writeTransaction(database, async transaction => {
    const locked = await lockDevice(transaction, deviceId)
    await deriveInOrder(locked)
    const keptSinceMs = await holdKeptSince(transaction)
    const piece =
      read ?? (await readPiece(transaction, deviceId, { size, rest: async () => undefined, isStopped: () => false }))
    if (typeof piece === 'string') return 'done'
    const record = (await readDeviceRecords(transaction, [deviceId])).get(deviceId)
    const current = (await readDue(locked, 'history')).get(deviceId)
    const isSame =
      record?.contextKey === piece.contextKey &&
      keptSinceMs === piece.keptSinceMs &&
      current?.version === piece.row.version
    if (!record || !isSame) return 'overtaken'
    const range = piece.piece.kind === 'range' ? piece.piece.range : await foldRest(transaction, deviceId, piece.piece)
    if (range?.end.kind === 'cut' && !canCutAt(range.tripsToMs, record)) return 'overtaken'
    const result = { record, samples: [], receivedMs: undefined, folded: range }
    await writeResults(locked, [result])
    const isCut = range?.end.kind === 'cut'
    if (isCut) await moveHistoryOn(locked, piece.row, range.toMs)
    else await finishHistory(locked, piece.row)
    // Its trips must not stay in the wrong car until all of it is done.
    await deriveCars(locked)
    return isCut ? 'more' : 'done'
  })
}

/** @returns undefined when there is no sample */
async function foldRest(
  transaction: Transaction,
  deviceId: DeviceId,
  { folding, nextMs }: Extract<HistoryPiece, { readonly kind: 'nearly all' }>,
): Promise<FoldResult | undefined> {
  // After a deadlock, the transaction runs again.
  const whole = folding.copy()
  for await (const samples of readStretch(transaction, deviceId, nextMs))
    if (samples.length > 0) whole.take(whole.look(samples))
  return whole.toNewestSample()
}

async function finishHistory(locked: LockedDevice, row: DueRow): Promise<void> {
  await clearDue(locked, [row])
  await writeFoldedByNow(locked)
}

/** Derives all of a locked device anew, in any order and folded. @returns once no history of it is due any more */
export async function deriveAnew(locked: LockedDevice): Promise<void> {
  const { transaction, deviceId } = locked
  await foldLocked(locked, { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY })
  if (!(await deriveCars(locked))) await reconcileAssignments(locked)
  await deriveHistoryLocked(locked)
  const record = (await readDeviceRecords(transaction, [deviceId])).get(deviceId)
  if (!record) return
  for (const { rebuild } of FACTS) await rebuild?.(locked, record.assignments)
  touchVehicles(transaction, [...new Set(record.assignments.map(({ vehicleId }) => vehicleId))])
}

/** Folds the history again that is due because of rules. */
export async function deriveHistoryLocked(locked: LockedDevice): Promise<void> {
  const row = (await readDue(locked, 'history')).get(locked.deviceId)
  if (!row) return
  await foldLocked(locked, row)
  await finishHistory(locked, row)
}

async function foldLocked(
  locked: LockedDevice,
  range: { readonly fromMs: number; readonly toMs: number },
): Promise<void> {
  const { transaction, deviceId } = locked
  const record = (await readDeviceRecords(transaction, [deviceId])).get(deviceId)
  if (!record) return
  const keptSinceMs = await holdKeptSince(transaction)
  const folded = await foldAgain(transaction, deviceId, { ...range, keptSinceMs, context: record })
  await writeResults(locked, [{ record, samples: [], receivedMs: undefined, folded }])
}

/** Ends what goes on at a dongle that is silent by now, whether it was marked or not. */
export async function endWhatIsSilent(locked: LockedDevice): Promise<void> {
  const record = (await readDeviceRecords(locked.transaction, [locked.deviceId])).get(locked.deviceId)
  if (!record) return
  const folded = record.trip?.isOpen ? endSilence(record) : undefined
  if (folded) await writeResults(locked, [{ record, samples: [], receivedMs: undefined, folded }])
  for (const { silence } of FACTS) await silence?.(locked)
}

/** Locks devices, with what is due of them derived as far as it is in order. */
export async function lockDerived(transaction: Transaction, deviceIds: readonly DeviceId[]): Promise<LockedDevices> {
  const locked = await lockDevices(transaction, deviceIds)
  await deriveInOrder(locked)
  return locked
}
