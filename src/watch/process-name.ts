import { hostname } from 'node:os'

/** The processes of a node that use the database. */
export type ProcessRole = 'api' | 'intake'

/** PostgreSQL truncates names of connections at 63 characters. */
const MOST_HOST_CHARACTERS = 32

/** By which the database knows this process: `tacho intake host:4711`. */
export function processName(role: ProcessRole): string {
  const host = hostname().replaceAll(/[^\w.-]/g, '-')
  return `tacho ${role} ${host.slice(0, MOST_HOST_CHARACTERS)}:${process.pid}`
}

/** @returns undefined when it is not the name of a process of ours. */
export function readProcessName(name: string): { role: ProcessRole; host: string; pid: number } | undefined {
  const [, role, host, pid] = /^tacho (api|intake) (\S+):(\d+)$/.exec(name) ?? []
  if (role !== 'api' && role !== 'intake') return undefined
  return host === undefined ? undefined : { role, host, pid: Number(pid) }
}
