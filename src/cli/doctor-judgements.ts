import type { Config } from '../config.ts'
import { isLoopback } from '../lib/networks.ts'
import { DAY_MS } from '../model/time-range.ts'
import { SETTINGS } from '../settings.ts'

/** `look`: it works, but somebody should look at this. `broken`: Tacho does not start like this, or loses what it is for. */
export type Verdict = 'fine' | 'look' | 'broken'

export interface Finding {
  /** Name of the check, which stays the same from version to version. */
  readonly check: string
  readonly verdict: Verdict
  readonly says: string
  readonly advice?: string
}

export const findingsOf = (check: string) => ({
  fine: (says: string): Finding => ({ check, verdict: 'fine', says }),
  look: (says: string, advice: string): Finding => ({ check, verdict: 'look', says, advice }),
  broken: (says: string, advice: string): Finding => ({ check, verdict: 'broken', says, advice }),
})

const LEAST_NODE = [20, 19] as const

export function judgeNode(version: string): Finding {
  const { fine, broken } = findingsOf('node')
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])) return fine(`Node ${version}.`)
  return broken(`Node ${version} is too old.`, `Install Node ${LEAST_NODE.join('.')} or later.`)
}

/** All processes with a month of 1,000 dongles, and PostgreSQL's shared memory. */
const MB = 2 ** 20
const ENOUGH_BYTES = 700 * MB
const LEAST_MEMORY_BYTES = 350 * MB

/** @param bytes memory of the machine, or of the container where that is less */
export function judgeMemory(bytes: number): Finding {
  const { fine, look, broken } = findingsOf('memory')
  const says = `${Math.round(bytes / MB).toLocaleString('en-US')} MB of memory.`
  if (bytes >= ENOUGH_BYTES) return fine(says)
  const advice = `Give it ${ENOUGH_BYTES / MB} MB: a fleet of 1,000 dongles takes about 450.`
  return bytes < LEAST_MEMORY_BYTES ? broken(says, advice) : look(says, advice)
}

/** Database, log, sockets between the processes, and some room. */
const OTHER_FILES = 500

/** @param files that a process may have open; undefined where the system does not say or has no limit */
export function judgeOpenFiles(files: number | undefined, connectionsPerClient: number): Finding {
  const { fine, look } = findingsOf('open files')
  if (files === undefined) return fine('No limit of open files is known.')
  const needed = connectionsPerClient + OTHER_FILES
  if (files >= needed) return fine(`${files.toLocaleString('en-US')} files and connections may be open at once.`)
  return look(
    `Only ${files} files and connections may be open at once, and one client alone may have ${connectionsPerClient} (CONNECTIONS_PER_CLIENT).`,
    'Raise the limit: `LimitNOFILE=65536` of systemd, `ulimits` of a container, or `ulimit -n 65536` in a shell.',
  )
}

export function judgeTimeZones(knows: boolean): Finding {
  const { fine, broken } = findingsOf('time zones')
  if (knows) return fine('Node has data of time zones.')
  return broken(
    'Node has no data of time zones.',
    'Install a Node that is built with full ICU, as those of nodejs.org are.',
  )
}

interface ClockFacts {
  readonly nowMs: number
  /** The clock of the database minus ours; undefined where it was not asked. */
  readonly databaseAheadMs: number | undefined
  /** The newest revision minus the clock of the database. */
  readonly revisionAheadMs: number | undefined
  /** The system keeps its clock by a time server; undefined where it does not say. */
  readonly isSynchronized: boolean | undefined
}

/** Nobody runs this version before it was made. */
const MADE_MS = Date.UTC(2026, 0, 1)
/** Measurements may be so far in the future (README.md, *Send measurements*). */
const MOST_AHEAD_MS = 5 * 60_000
const NOTICEABLE_MS = 5_000

export function judgeClock({ nowMs, databaseAheadMs, revisionAheadMs, isSynchronized }: ClockFacts): Finding {
  const { fine, look, broken } = findingsOf('clock')
  const now = new Date(nowMs).toISOString().slice(0, 19)
  const set = 'Set the clock, and let a time server keep it (`timedatectl set-ntp true`, or chrony).'
  if (nowMs < MADE_MS) return broken(`The clock says ${now}Z, which is past.`, set)
  const apartMs = Math.abs(databaseAheadMs ?? 0)
  const apart = `The clock of the database is ${seconds(apartMs)} ${(databaseAheadMs ?? 0) > 0 ? 'ahead of' : 'behind'} this one.`
  if (apartMs > MOST_AHEAD_MS) return broken(apart, set)
  if (apartMs > NOTICEABLE_MS) return look(apart, set)
  if (revisionAheadMs !== undefined && revisionAheadMs > MOST_AHEAD_MS)
    return look(
      `The newest change in the database lies ${seconds(revisionAheadMs)} in the future: the clock was set back.`,
      'Check the clock. Clients that sync miss nothing: changes go on after the newest one.',
    )
  if (isSynchronized === false) return look(`The clock says ${now}Z, and no time server keeps it.`, set)
  return fine(`The clock says ${now}Z${isSynchronized ? ', kept by a time server' : ''}.`)
}

const seconds = (ms: number) => `${Math.round(ms / 1000).toLocaleString('en-US')} s`

const KNOWN: ReadonlySet<string> = new Set(Object.values(SETTINGS).map(({ name }) => name))

/** First words of several settings: a variable that begins so and is none of them is probably a mistake. */
const FAMILIES = (() => {
  const counts = new Map<string, number>()
  for (const name of KNOWN) {
    const [family = ''] = name.split('_')
    counts.set(family, (counts.get(family) ?? 0) + 1)
  }
  return new Set([...counts].filter(([family, count]) => count > 1 || family === 'TACHO').map(([family]) => family))
})()

interface Names {
  readonly environment: readonly string[]
  /** In the file `.env`, where every one is meant for Tacho. */
  readonly inFile: readonly string[]
}

export function judgeNames({ environment, inFile }: Names): Finding {
  const { fine, look } = findingsOf('settings')
  const unknown = new Set([
    ...inFile.filter(name => !KNOWN.has(name)),
    ...environment.filter(name => !KNOWN.has(name) && name.includes('_') && FAMILIES.has(name.split('_')[0] ?? '')),
  ])
  if (unknown.size === 0) return fine('Every setting has a name and a value that Tacho knows.')
  return look(
    `${[...unknown].join(', ')}: Tacho has no such ${unknown.size === 1 ? 'setting' : 'settings'}.`,
    'Compare with .env.example, which lists every setting.',
  )
}

/** Listeners that are open to more than this machine, and what is then missing. */
export function judgeDoors(config: Config): Finding[] {
  const { fine, look } = findingsOf('doors')
  const findings: Finding[] = []
  if (!isLoopback(config.host) && config.tlsCertFile === undefined && config.trustedProxies.length === 0)
    findings.push(
      look(
        `The API and the console are open to the network at ${config.host} without TLS: passwords and tokens can be read on the way.`,
        'Set TLS_CERT and TLS_KEY; or put a proxy with TLS before it and name that in TRUSTED_PROXIES.',
      ),
    )
  if (!isLoopback(config.intakeHost))
    findings.push(
      look(
        `The intake is open at ${config.intakeHost}, unencrypted.`,
        'Keep that inside a network of your own, or leave INTAKE_HOST at 127.0.0.1.',
      ),
    )
  if (config.teltonikaPort !== undefined && !isLoopback(config.teltonikaHost) && config.unknownDevices === 'accept')
    findings.push(
      look(
        'Dongles report from the network, and one that nobody added joins by itself.',
        'Set UNKNOWN_DEVICES=reject, and add dongles with `tacho device add` or a list.',
      ),
    )
  return findings.length > 0 ? findings : [fine('No door is open further than it should be.')]
}

const RENEW_DAYS = 14

/** @param untilMs when the certificate ends, or a sentence that says why it cannot be used */
export function judgeCertificate(setting: string, untilMs: number | string, nowMs: number): Finding {
  const { fine, look, broken } = findingsOf('certificate')
  if (typeof untilMs === 'string') return broken(untilMs, `See ${setting}.`)
  const days = Math.floor((untilMs - nowMs) / DAY_MS)
  const renew = 'Renew it; a renewed file is taken without a restart.'
  if (days < 0) return broken(`The certificate of ${setting} has ended ${-days} days ago.`, renew)
  if (days < RENEW_DAYS) return look(`The certificate of ${setting} ends in ${days} days.`, renew)
  return fine(`The certificate of ${setting} is valid for ${days} days.`)
}

export interface PortFacts {
  readonly door: string
  readonly host: string
  readonly port: number
  readonly hostSetting: string
  readonly portSetting: string
  /** `free`, or the system's code of why it cannot be listened on, such as EADDRINUSE. */
  readonly outcome: string
}

/** @param isRunning whether a Tacho with these settings answers */
export function judgePort(
  { door, host, port, hostSetting, portSetting, outcome }: PortFacts,
  isRunning: boolean,
): Finding {
  const { fine, broken } = findingsOf(`port ${port}`)
  const where = `Port ${port} on ${host} (${door})`
  if (outcome === 'free') return fine(`${where} is free.`)
  if (outcome === 'EADDRINUSE')
    return isRunning
      ? fine(`${where} is taken by the Tacho that runs.`)
      : broken(`${where} is in use by another program.`, `Stop that one, or choose another port with ${portSetting}.`)
  if (outcome === 'EACCES')
    return broken(
      `${where} is reserved: ports below 1024 need a right.`,
      `Grant it (\`AmbientCapabilities=CAP_NET_BIND_SERVICE\` of systemd), or choose another port with ${portSetting}.`,
    )
  if (outcome === 'EADDRNOTAVAIL' || outcome === 'ENOTFOUND')
    return broken(
      `${host} is no address of this machine (${door}).`,
      `Set ${hostSetting} to one, or to 0.0.0.0 for all.`,
    )
  return broken(`${where} cannot be listened on (${outcome}).`, `See ${hostSetting} and ${portSetting}.`)
}

export interface FolderFacts {
  readonly folder: string
  /** Of the folder, or of the nearest one above it that is there. */
  readonly freeBytes: number
  /** The user that runs this, or PostgreSQL for root, may write there. */
  readonly isWritable: boolean
  readonly cluster:
    | {
        readonly isOurs: boolean
        readonly major: string
        readonly ownerUid: number
        /** Permissions, such as 0o700. */
        readonly mode: number
      }
    | undefined
  readonly uid: number | undefined
  readonly embeddedMajor: string
}

export function judgeFolder({ folder, isWritable, cluster, uid, embeddedMajor }: FolderFacts): Finding {
  const { fine, broken } = findingsOf('data folder')
  const other = 'or choose another folder with TACHO_DATA.'
  if (!isWritable)
    return broken(`${folder} cannot be written.`, `Run this as the user that runs Tacho, make it writable, ${other}`)
  if (!cluster) return fine(`${folder} has no database yet; the first start makes it.`)
  if (!cluster.isOurs)
    return broken(`${folder}/postgres holds files that are not a database of Tacho.`, `Move them away, ${other}`)
  if (uid !== undefined && cluster.ownerUid !== uid)
    return broken(
      `The database in ${folder} belongs to the user with number ${cluster.ownerUid}, and this is ${uid}.`,
      'Start Tacho, and run this, as that user or as root.',
    )
  if (cluster.mode & 0o027)
    return broken(
      `Others may enter ${folder}/postgres, with which PostgreSQL does not start.`,
      `Close it: \`chmod 0700 ${folder}/postgres\`.`,
    )
  if (cluster.major !== embeddedMajor) return judgeMajor(folder, cluster.major, embeddedMajor)
  return fine(`${folder}, with a database of PostgreSQL ${cluster.major}.`)
}

function judgeMajor(folder: string, found: string, embeddedMajor: string): Finding {
  const { broken } = findingsOf('data folder')
  const says = `The database in ${folder} belongs to PostgreSQL ${found}, and this Tacho brings ${embeddedMajor}.`
  return broken(says, '`tacho upgrade-database` brings an older one over; a start says what it needs.')
}

/** The start refuses less than the first. */
const LEAST_FREE_BYTES = 100 * MB
const LITTLE_BYTES = 2 ** 30
const LITTLE_DAYS = 14

/** @param growthBytesPerDay how much the measurements of the last weeks take; undefined where that is not known */
export function judgeDisk(
  { folder, freeBytes }: Pick<FolderFacts, 'folder' | 'freeBytes'>,
  growthBytesPerDay: number | undefined,
): Finding {
  const { fine, look, broken } = findingsOf('disk')
  const days = growthBytesPerDay ? Math.floor(Math.max(0, freeBytes - LEAST_FREE_BYTES) / growthBytesPerDay) : undefined
  const lasting = days === undefined ? '' : days > 3650 ? ', enough for years' : `, enough for about ${days} days`
  const says = `${Math.floor(freeBytes / MB).toLocaleString('en-US')} MB are free for ${folder}${lasting}.`
  const advice = 'Make room, move the folder to a larger disk, or let old measurements be dropped (RETENTION_DAYS).'
  if (freeBytes < LEAST_FREE_BYTES) return broken(says, advice)
  if (freeBytes < LITTLE_BYTES || (days !== undefined && days < LITTLE_DAYS)) return look(says, advice)
  return fine(says)
}

export interface DatabaseFacts {
  /** As `server_version_num`: 180004. */
  readonly versionNumber: number
  readonly version: string
  readonly isStandby: boolean
  readonly extension: 'installed' | 'available' | 'missing'
  readonly settings: Readonly<Record<DatabaseSetting, string>>
  readonly connections: number
  readonly ownRole: string
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
