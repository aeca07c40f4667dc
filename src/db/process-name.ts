import { hostname } from 'node:os'

/** The processes of a node that use the database. */
export type ProcessRole = 'api' | 'intake'

/**
 * What this version can read of what nodes leave in the database, as a number that goes up when something new is written that
 * former versions would not see. 1: sealed days. Who writes it first asks `OlderProcesses` (docs/adr/0041).
 */
export const STORED_FORM = 1

/** PostgreSQL truncates names of connections at 63 characters. */
const MOST_HOST_CHARACTERS = 32

/** By which the database knows this process, with what it can read: `tacho intake host~1:4711`. Versions before that read a longer host. */
export function processName(role: ProcessRole): string {
  const host = hostname().replaceAll(/[^\w.-]/g, '-')
  return `tacho ${role} ${host.slice(0, MOST_HOST_CHARACTERS)}~${STORED_FORM}:${process.pid}`
}

/** A process of a node, as its connections tell. */
interface NamedProcess {
  readonly role: ProcessRole
  readonly host: string
  readonly pid: number
  /** See `STORED_FORM`; 0 of versions that did not tell. */
  readonly storedForm: number
}

/** @returns undefined when it is not the name of a process of ours. */
export function readProcessName(name: string): NamedProcess | undefined {
  const [, role, host, storedForm = '0', pid] = /^tacho (api|intake) ([^\s~]+)(?:~(\d+))?:(\d+)$/.exec(name) ?? []
  if ((role !== 'api' && role !== 'intake') || host === undefined) return undefined
  return { role, host, pid: Number(pid), storedForm: Number(storedForm) }
}
