import { chown, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate } from '../../db/migrations.ts'
import { OperatorError } from '../../model/errors.ts'
import type { Account } from '../embedded/account.ts'
import type { Binaries } from '../embedded/binaries.ts'
import type { DatabaseLocation } from '../embedded/location.ts'
import type { EmbeddedLog } from '../embedded/log.ts'
import { startProcess } from '../embedded/server-process.ts'
import { databaseUrl } from '../embedded/session.ts'
import { type ServerSettings, writeSettings } from '../embedded/settings.ts'
import { makeSocketFolder, removeSocketFolder } from '../embedded/socket-folder.ts'
import { FILE_MODE } from './files.ts'
import { markRestored } from './mark-restored.ts'

interface RecoveryOptions {
  readonly location: DatabaseLocation
  readonly binaries: Binaries
  /** Who may connect to the database. */
  readonly client: Account
  readonly log: EmbeddedLog
  /** Where to end; undefined at the end of the log. */
  readonly targetMs: number | undefined
  /** The instant that is restored. */
  readonly restoredMs: number
  /** The newest instant that the database was known to be at. */
  readonly untilMs: number
}

export interface Recovered {
  /** The first revision after the restore. */
  readonly restored: string
}

const BASIC_SETTINGS: ServerSettings = {
  // Everything that is needed lies in pg_wal already.
  restore_command: '/bin/false',
  recovery_target_timeline: 'current',
  recovery_target_action: 'promote',
  // It would want the settings with which the database ran.
  hot_standby: 'off',
}

/**
 * Lets PostgreSQL recover in a folder that was filled from a backup, brings the schema up to date, and makes what clients saw
 * since then harmless. The server is stopped again.
 * @throws OperatorError when it does not recover.
 */
export async function recover(options: RecoveryOptions): Promise<Recovered> {
  const { location, targetMs } = options
  const signal = join(location.cluster, 'recovery.signal')
  await writeFile(signal, '', { mode: FILE_MODE })
  if (location.account) await chown(signal, location.account.uid, location.account.gid)
  const socketFolder = await makeSocketFolder(location)
  try {
    const server =
      (targetMs !== undefined && (await start(options, socketFolder, targetMs))) ||
      // Nothing was committed after that instant: the end of the log is what was wanted.
      (await start(options, socketFolder, undefined))
    if (!server) throw new OperatorError(`PostgreSQL in ${location.cluster} did not reach the end of its log.`)
    try {
      const url = databaseUrl(socketFolder)
      await migrate(url)
      return { restored: await markRestored(url, options) }
    } finally {
      await server.stop()
    }
  } finally {
    await removeSocketFolder(socketFolder)
    await rm(signal, { force: true })
  }
}

/** @returns undefined when the log ended before the target */
async function start(options: RecoveryOptions, socketFolder: string, targetMs: number | undefined) {
  const { location, binaries, client, log } = options
  // The names of time zones, such as Z, are not known yet when PostgreSQL reads this.
  const target =
    targetMs === undefined ? {} : { recovery_target_time: new Date(targetMs).toISOString().replace('Z', '+00') }
  await writeSettings(location.cluster, client, location.account, { ...BASIC_SETTINGS, ...target })
  const server = startProcess({ location, binaries, socketFolder, log })
  if (await server.ready) return server
  const lines = await server.exited
  if (lines.some(line => line.includes('recovery ended before configured recovery target was reached')))
    return undefined
  const last = lines.findLast(line => /^(FATAL|PANIC):/.test(line)) ?? lines.at(-1) ?? 'it said nothing'
  throw new OperatorError(`PostgreSQL can not recover from the backup: ${last.replace(/^[A-Z]+:\s*/, '')}`)
}
