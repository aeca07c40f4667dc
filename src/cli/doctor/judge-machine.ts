import { type Finding, findingsOf } from './finding.ts'

const LEAST_NODE = [20, 19] as const

/** @param version as in `process.versions.node` */
export function judgeNode(version: string): Finding {
  const { fine, broken } = findingsOf('node')
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])) return fine(`Node ${version}.`)
  return broken(`Node ${version} is too old.`, `Install Node ${LEAST_NODE.join('.')} or later.`)
}

const MB = 2 ** 20
/** All processes with a month of 1,000 dongles, and PostgreSQL's shared memory. */
const ENOUGH_BYTES = 700 * MB
const LEAST_BYTES = 350 * MB

/** @param bytes memory of the machine, or of the container where that is less */
export function judgeMemory(bytes: number): Finding {
  const { fine, look, broken } = findingsOf('memory')
  const says = `${Math.round(bytes / MB).toLocaleString('en-US')} MB of memory.`
  if (bytes >= ENOUGH_BYTES) return fine(says)
  const advice = `Give it ${ENOUGH_BYTES / MB} MB: a fleet of 1,000 dongles takes about 450.`
  return bytes < LEAST_BYTES ? broken(says, advice) : look(says, advice)
}

/** Database, log, sockets between the processes, and some room. */
const OTHER_FILES = 500

/**
 * @param files that a process may have open; undefined where the system does not tell or has no limit
 * @param connectionsPerClient of the settings
 */
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

/** @param knows whether this Node can tell the time of Berlin */
export function judgeTimeZones(knows: boolean): Finding {
  const { fine, broken } = findingsOf('time zones')
  if (knows) return fine('Node has data of time zones.')
  return broken(
    'Node has no data of time zones.',
    'Install a Node that is built with full ICU, as those of nodejs.org are.',
  )
}
