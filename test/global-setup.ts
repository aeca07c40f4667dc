import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { Client } from 'pg'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { startEmbeddedServer } from '../src/server/embedded/server.ts'
import { SERVICE_DATABASE } from '../src/server/embedded/settings.ts'
import { dropCitusTemplate, findCluster, makeCitusTemplate } from './citus-cluster.ts'
import { makeDatabaseFolder } from './database-folder.ts'
import { takeMadeDatabase } from './made-database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Of the role that may create databases. */
    readonly adminUrl: string
    /** Where every database is made as well, and under the same name: the workers of Citus, or none. */
    readonly workerUrls: readonly string[]
    /** The migrated database that is cloned. */
    readonly template: string
    /** A folder with a database as Tacho makes it, migrated and stopped, to be copied. */
    readonly madeDatabase: string
  }
}

interface Started {
  readonly adminUrl: string
  readonly workerUrls: readonly string[]
  readonly template: string
  readonly stop: () => Promise<void>
}

/** Nothing outlives the run, so nothing has to survive a crash; to clone a database takes a third of the time then. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_compression: 'off',
  // The folder may be in memory.
  max_wal_size: '512MB',
  // Services of several files run at once.
  max_connections: '300',
}

/** Vitest loads this file once for each project, so what they share stands here. */
const shared = globalThis as { testServer?: { readonly started: Promise<Started>; users: number } | undefined }

/**
 * One PostgreSQL for the whole run, or the cluster of CITUS_URL; every test file clones the migrated template (see database.ts).
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.testServer ??= { started: start(), users: 0 }
  const server = shared.testServer
  server.users++
  const { adminUrl, workerUrls, template, stop } = await server.started
  const made = await takeMadeDatabase()
  project.provide('adminUrl', adminUrl)
  project.provide('workerUrls', workerUrls)
  project.provide('template', template)
  project.provide('madeDatabase', made.cluster)
  return async () => {
    await made.release()
    if (--server.users > 0) return
    shared.testServer = undefined
    await stop()
  }
}

async function start(): Promise<Started> {
  const { CITUS_URL: citusUrl = '' } = process.env
  if (citusUrl === '') return startEmbedded()
  const cluster = await findCluster(citusUrl)
  // Of this run alone: another one may use the cluster at the same time.
  const template = `tacho_template_${process.pid}`
  await makeCitusTemplate(cluster, template)
  return { ...cluster, template, stop: () => dropCitusTemplate(cluster, template) }
}

async function startEmbedded(): Promise<Started> {
  const made = await takeMadeDatabase()
  const folder = await makeDatabaseFolder('tacho-test-')
  execFileSync('cp', ['-a', made.cluster, folder])
  const server = await startEmbeddedServer({ folder, log: pino({ level: 'silent' }), settings: SETTINGS })
  try {
    // Whoever comes first keeps what the catalogue says of itself in a file: cloned with the rest, it need not be read anew for each database.
    await queryOnce(server.url, 'select')
    // A database that somebody is connected to cannot be cloned.
    await queryOnce(server.adminUrl, `alter database ${SERVICE_DATABASE} with is_template true allow_connections false`)
  } catch (error) {
    await server.stop()
    throw error
  }
  return {
    adminUrl: server.adminUrl,
    workerUrls: [],
    template: SERVICE_DATABASE,
    async stop() {
      await server.stop()
      await made.release()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function queryOnce(connectionString: string, text: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  await client.query(text)
  await client.end()
}
