import { type Finding, findingsOf } from './finding.ts'

export interface DatabaseFacts {
  /** As `server_version_num`: 180004. */
  readonly versionNumber: number
  readonly version: string
  readonly isStandby: boolean
  /** The extension btree_gist. */
  readonly extension: 'installed' | 'available' | 'missing'
  readonly settings: Readonly<Record<DatabaseSetting, string>>
  /** Connections that are in use, of everybody. */
  readonly connections: number
  readonly ownRole: string
  /** The roles of all connections of Tacho. */
  readonly tachoRoles: readonly string[]
  /** Of this Tacho that the database does not have. */
  readonly pendingMigrations: number
  /** Of the database that this Tacho does not have. */
  readonly unknownMigrations: number
  readonly timeZones: number
}

export const DATABASE_SETTINGS = [
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'track_activities',
  'max_connections',
  'superuser_reserved_connections',
  'server_encoding',
] as const
type DatabaseSetting = (typeof DATABASE_SETTINGS)[number]

const LEAST_VERSION = 150_000
/** Of one node (docs/operation/run.md, *The database*). */
const CONNECTIONS_OF_A_NODE = 28

export function judgeDatabase(facts: DatabaseFacts): Finding[] {
  return [judgeServer(facts), judgeDurability(facts), judgeConnections(facts), judgeRole(facts), judgeSchema(facts)]
}

function judgeServer({ versionNumber, version, isStandby, settings, timeZones }: DatabaseFacts): Finding {
  const { fine, look, broken } = findingsOf('database')
  if (versionNumber < LEAST_VERSION) return broken(`PostgreSQL ${version} is too old.`, 'Upgrade it to 15 or later.')
  if (isStandby) return broken('The database is a standby and can only be read.', 'Name the primary in DATABASE_URL.')
  if (settings.server_encoding !== 'UTF8')
    return broken(`The database is encoded in ${settings.server_encoding}.`, "Make it with `encoding 'UTF8'`.")
  if (timeZones === 0)
    return look('PostgreSQL has no data of time zones.', 'Install the package tzdata where PostgreSQL runs.')
  return fine(`PostgreSQL ${version} answers.`)
}

function judgeDurability({ settings }: DatabaseFacts): Finding {
  const { fine, broken } = findingsOf('durability')
  const off = (['fsync', 'synchronous_commit', 'full_page_writes'] as const).filter(name => settings[name] === 'off')
  if (off.length === 0) return fine('What is acknowledged is on the disk of the database.')
  return broken(
    `${off.join(' and ')} ${off.length === 1 ? 'is' : 'are'} off: what was acknowledged can be lost.`,
    `Switch ${off.length === 1 ? 'it' : 'them'} on in PostgreSQL.`,
  )
}

function judgeConnections({ settings, connections, tachoRoles }: DatabaseFacts): Finding {
  const { fine, look } = findingsOf('connections')
  const most = Number(settings.max_connections) - Number(settings.superuser_reserved_connections)
  const says = `${connections} of ${most} connections are in use.`
  // A node that runs has what it needs, or opens more of them.
  const needed = tachoRoles.length === 0 ? CONNECTIONS_OF_A_NODE : 1
  if (most - connections >= needed && most >= CONNECTIONS_OF_A_NODE) return fine(says)
  return look(says, `Raise max_connections: each node takes up to ${CONNECTIONS_OF_A_NODE}.`)
}

function judgeRole({ ownRole, tachoRoles, settings }: DatabaseFacts): Finding {
  const { fine, broken } = findingsOf('role')
  if (settings.track_activities !== 'on')
    return broken(
      'The database hides when transactions begin, and clients that sync would miss changes.',
      'Set track_activities = on.',
    )
  const others = tachoRoles.filter(role => role !== ownRole)
  if (others.length === 0) return fine(`All of Tacho works as the role ${ownRole}.`)
  return broken(
    `Other nodes log in as ${others.join(', ')}, this one as ${ownRole}, and clients that sync would miss changes.`,
    'Let all nodes use the same role in DATABASE_URL.',
  )
}

function judgeSchema({ extension, pendingMigrations, unknownMigrations }: DatabaseFacts): Finding {
  const { fine, look, broken } = findingsOf('schema')
  if (extension === 'missing')
    return broken('The extension btree_gist is missing.', "Install PostgreSQL's contrib package where it runs.")
  if (unknownMigrations > 0)
    return broken('The database was set up by a newer Tacho.', 'Install that version, or restore a backup from before.')
  if (pendingMigrations > 0)
    return look(
      `${pendingMigrations} migrations are still to be applied.`,
      'Start Tacho, or run `tacho migrate`: either applies them.',
    )
  return fine('The schema is that of this version.')
}
