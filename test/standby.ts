import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { findPackage, prepareBinaries } from '../src/server/embedded/binaries.ts'
import { databaseUrl } from '../src/server/embedded/claim.ts'
import { chooseLocation } from '../src/server/embedded/location.ts'
import { ADMIN_ROLE, SERVICE_DATABASE, serverEnvironment } from '../src/server/embedded/settings.ts'
import { makeDatabaseFolder } from './database-folder.ts'
import { query, silent, startServer } from './embedded-folder.ts'
import { eventually } from './eventually.ts'
import { placeDatabase } from './serve-process.ts'

/** A PostgreSQL and a streaming replica of it. */
interface Replicated {
  readonly primaryUrl: string
  readonly replicaUrl: string
  /** What is committed from now on waits in the replica, which goes on answering. */
  readonly pauseReplay: () => Promise<void>
  readonly resumeReplay: () => Promise<void>
  readonly stopReplica: () => Promise<void>
}

/** Both begin as copies of the migrated database of the run. */
export async function startReplicated(): Promise<Replicated> {
  const folder = await makeCopy('tacho-primary-')
  const copy = await makeCopy('tacho-standby-')

  const primary = await startServer({ folder })
  const primaryFolder = new URL(primary.url).searchParams.get('host') ?? ''
  const location = await chooseLocation(copy, false, silent)
  const { postgres } = await prepareBinaries(await findPackage(), location)
  if (location.account) {
    // When root runs the tests, the replica comes as the user of PostgreSQL.
    await appendFile(join(folder, 'postgres', 'pg_ident.conf'), `tacho "${location.account.name}" ${ADMIN_ROLE}\n`)
    await query(primary.adminUrl, 'select pg_reload_conf()')
  }
  await writeFile(join(location.cluster, 'standby.signal'), '')
  const settings = {
    listen_addresses: '',
    unix_socket_directories: '.',
    primary_conninfo: `host=${primaryFolder} port=5432 user=${ADMIN_ROLE}`,
  }
  const child = spawn(
    postgres,
    ['-D', location.cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      ...(location.account && { uid: location.account.uid, gid: location.account.gid }),
      cwd: '/',
      env: serverEnvironment(),
      stdio: 'ignore',
    },
  )
  const exited = once(child, 'exit')
  const stopReplica = async () => {
    child.kill('SIGINT')
    await exited
  }
  onTestFinished(stopReplica)
  const replicaAdmin = databaseUrl(location.cluster, SERVICE_DATABASE, ADMIN_ROLE)
  await eventually(() => query(replicaAdmin, 'select pg_last_wal_replay_lsn()'))
  return {
    primaryUrl: primary.url,
    replicaUrl: databaseUrl(location.cluster),
    async pauseReplay() {
      await query(replicaAdmin, 'select pg_wal_replay_pause()')
      await eventually(async () => {
        const [row] = await query(replicaAdmin, 'select pg_get_wal_replay_pause_state() as state')
        if (row?.state !== 'paused') throw new Error('it still replays')
      })
    },
    async resumeReplay() {
      await query(replicaAdmin, 'select pg_wal_replay_resume()')
    },
    stopReplica,
  }
}

async function makeCopy(name: string): Promise<string> {
  const folder = await makeDatabaseFolder(name)
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return placeDatabase(folder)
}
