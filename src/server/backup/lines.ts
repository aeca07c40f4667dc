import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { codeOf } from '../../model/errors.ts'
import { Archiver } from './archiver.ts'
import { listBases, readBase } from './bases.ts'
import type { BackupFolder } from './folder.ts'
import { Replication } from './replication.ts'
import { segmentAt } from './segments.ts'
import { Diverged, listLines, removeLine } from './wal-line.ts'

/** Every replication slot of backups has a name that begins so; then the id of the folder follows, and the line. */
const PREFIX = 'tacho_backup_'

interface Slot {
  readonly name: string
  readonly isActive: boolean
  /** PostgreSQL has not kept what was not archived: more than `max_slot_wal_keep_size`. */
  readonly isLost: boolean
}

/** Another process archives to this folder. */
interface ArchivedElsewhere {
  readonly line: string
}

/** An archiver that is ready to run. */
interface OpenLine {
  readonly archiver: Archiver
  /** Archives until the signal aborts. @throws what ended it before */
  run(signal: AbortSignal): Promise<void>
}

/**
 * Goes on with the line of this folder, or begins a new one: at the first time, after a restore (slots are in no backup), and
 * after the archive fell behind so far that PostgreSQL gave up keeping what it misses.
 * @param isKept whether PostgreSQL keeps what is not archived when we are gone, as for a service that comes back
 * @returns the line that another process archives, if one does
 */
export async function openLine(
  url: string,
  folder: BackupFolder,
  { isKept }: { readonly isKept: boolean },
): Promise<OpenLine | ArchivedElsewhere> {
  const connection = await Replication.open(url)
  try {
    const opened = await open(url, connection, folder, isKept)
    if (!('archiver' in opened)) await connection.close()
    return opened
  } catch (error) {
    await connection.close()
    throw error
  }
}

async function open(
  url: string,
  connection: Replication,
  folder: BackupFolder,
  isKept: boolean,
): Promise<OpenLine | ArchivedElsewhere> {
  const own = `${PREFIX}${folder.id}_`
  const { timeline, endLsn } = await connection.identify()
  const segment = segmentAt(endLsn)
  const lines = await listLines(folder)
  let found: { line: string; slot: string } | undefined
  for (const slot of await readSlots(url)) {
    if (!slot.name.startsWith(own)) continue
    const line = slot.name.slice(own.length)
    if (slot.isActive) return { line }
    if (slot.isLost || found || !lines.includes(line)) await dropSlot(url, slot.name)
    else found = { line, slot: slot.name }
  }
  for (;;) {
    const { line, slot } = found ?? (await makeSlot(connection, own, isKept))
    try {
      const archiver = await Archiver.open({ connection, folder, line, slot, timeline, segment })
      return {
        archiver,
        async run(signal) {
          try {
            await archiver.run({ slot, timeline }, signal)
          } catch (error) {
            // The next attempt begins a new line.
            if (error instanceof Diverged || isGone(error)) {
              await connection.close()
              await dropWhenFree(url, slot)
            }
            throw error
          } finally {
            await connection.close()
            if (!isKept && !found) await removeIfEmpty(folder, line)
          }
        },
      }
    } catch (error) {
      if (!(error instanceof Diverged) || !found) throw error
      await dropSlot(url, slot)
      found = undefined
    }
  }
}

/** PostgreSQL no longer has what the slot should have kept (undefined_file, object_not_in_prerequisite_state). */
const isGone = (error: unknown) => codeOf(error) === '58P01' || codeOf(error) === '55000'

async function makeSlot(
  connection: Replication,
  own: string,
  isKept: boolean,
): Promise<{ line: string; slot: string }> {
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  const line = `${day}_${randomBytes(4).toString('hex')}`
  const slot = own + line
  await connection.rows(`CREATE_REPLICATION_SLOT "${slot}" ${isKept ? '' : 'TEMPORARY '}PHYSICAL (RESERVE_WAL true)`)
  return { line, slot }
}

/** A backup by hand that failed leaves a line that nothing needs. */
async function removeIfEmpty(folder: BackupFolder, line: string): Promise<void> {
  for (const time of await listBases(folder)) if ((await readBase(folder, time)).line === line) return
  await removeLine(folder, line)
}

/**
 * Lets PostgreSQL keep nothing for folders that backups went to before.
 * @param keptId the id of the folder they go to now
 */
export async function forgetOtherFolders(url: string, keptId?: string): Promise<void> {
  for (const { name, isActive } of await readSlots(url))
    if (!isActive && !(keptId && name.startsWith(`${PREFIX}${keptId}_`))) await dropSlot(url, name)
}

function readSlots(url: string): Promise<Slot[]> {
  return onServer(url, async client => {
    const { rows } = await client.query<{ slot_name: string; active: boolean; lost: boolean }>(
      `select slot_name, active, wal_status = 'lost' or restart_lsn is null as lost from pg_replication_slots
       where starts_with(slot_name, $1)`,
      [PREFIX],
    )
    return rows.map(row => ({ name: row.slot_name, isActive: row.active, isLost: row.lost }))
  })
}

/** A slot that is in use, or is gone, is left alone. */
function dropSlot(url: string, name: string): Promise<void> {
  return onServer(url, async client => {
    await client.query(
      'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1 and not active',
      [name],
    )
  })
}

/** The slot may be in use for a moment after the connection that used it was closed. One that is gone is left alone. */
async function dropWhenFree(url: string, name: string): Promise<void> {
  const connection = await Replication.open(url)
  try {
    await connection.rows(`DROP_REPLICATION_SLOT "${name}" WAIT`)
  } catch (error) {
    if (codeOf(error) !== UNDEFINED_OBJECT) throw error
  } finally {
    await connection.close()
  }
}

const UNDEFINED_OBJECT = '42704'

async function onServer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, application_name: 'tacho backup' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
