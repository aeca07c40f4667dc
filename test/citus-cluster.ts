import { Client } from 'pg'
import { distribute } from '../src/db/citus.ts'
import { migrate } from '../src/db/migrations.ts'

/** Where databases are made for a run on Citus. */
interface CitusCluster {
  /** Of a superuser, as those of the workers. */
  readonly adminUrl: string
  readonly workerUrls: readonly string[]
}

const ROLE = 'tacho'

/**
 * The machines of a cluster that runs already.
 * @param url of a superuser in a database in which Citus knows its workers; the same user logs in there
 */
export async function findCluster(url: string): Promise<CitusCluster> {
  const nodes = await run<{ nodename: string; nodeport: number }>(
    url,
    `select nodename, nodeport from pg_dist_node where groupid <> 0 and isactive order by nodeid`,
  )
  if (nodes.length === 0) throw new Error('CITUS_URL: Citus knows no workers in that database')
  return {
    adminUrl: inDatabase(url, 'postgres'),
    workerUrls: nodes.map(({ nodename, nodeport }) => {
      const worker = new URL(inDatabase(url, 'postgres'))
      worker.hostname = nodename
      worker.port = String(nodeport)
      return worker.href
    }),
  }
}

/** A database on every machine, with the extension, the workers known to the coordinator, and nothing of Tacho. */
export async function makeCitusDatabase({ adminUrl, workerUrls }: CitusCluster, name: string): Promise<string> {
  for (const machine of [adminUrl, ...workerUrls]) {
    const roles = await run(machine, `select from pg_roles where rolname = '${ROLE}'`)
    if (roles.length === 0) await run(machine, `create role ${ROLE} login createdb`)
    await run(machine, `drop database if exists ${name} with (force)`)
    await run(machine, `create database ${name} owner ${ROLE} template template0`)
    await run(inDatabase(machine, name), 'create extension citus')
  }
  const { hostname, port } = new URL(adminUrl)
  const coordinator = inDatabase(adminUrl, name)
  await run(coordinator, `select citus_set_coordinator_host('${hostname}', ${port})`)
  for (const worker of workerUrls) {
    const { hostname: host, port: workerPort } = new URL(worker)
    await run(coordinator, `select citus_add_node('${host}', ${workerPort})`)
  }
  return asService(coordinator)
}

/** The same, migrated and distributed, and ready to be cloned on every machine. */
export async function makeCitusTemplate(cluster: CitusCluster, name: string): Promise<void> {
  const url = await makeCitusDatabase(cluster, name)
  await migrate(url)
  await distribute(url)
  // A database that somebody is connected to cannot be cloned, and Citus has a process of its own in each.
  for (const machine of [cluster.adminUrl, ...cluster.workerUrls]) {
    await run(machine, `alter database ${name} with is_template true allow_connections false`)
    while (
      (await run(machine, `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`))
        .length > 0
    );
  }
}

export async function dropCitusTemplate({ adminUrl, workerUrls }: CitusCluster, name: string): Promise<void> {
  for (const machine of [adminUrl, ...workerUrls]) {
    await run(machine, `alter database ${name} with is_template false`)
    await run(machine, `drop database ${name} with (force)`)
  }
}

/** A superuser's address as the service's. */
function asService(url: string): string {
  const service = new URL(url)
  service.username = ROLE
  service.password = ''
  return service.href
}

export function inDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

async function run<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  client.on('notice', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}
