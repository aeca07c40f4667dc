import { readdir, readFile } from 'node:fs/promises'

/** Linux counts in ticks of 10 ms, whatever the kernel's own tick is. */
const TICKS_A_SECOND = 100

/** What a process and all its descendants have cost and hold. */
export interface ProcessCost {
  /** Time on a CPU since they began, of those that ended, too. */
  readonly cpuSeconds: number
  /** Memory, in which what processes share is counted once (PSS). */
  readonly bytes: number
}

/** The cost of a process and all its descendants, for example of a service with its PostgreSQL. */
export async function processCost(rootPid: number): Promise<ProcessCost> {
  const pids = await familyOf(rootPid)
  const costs = await Promise.all(
    pids.map(async pid => ({ ticks: await ticksOf(pid), bytes: await sharedOnceBytes(pid) })),
  )
  return {
    cpuSeconds: costs.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_A_SECOND,
    bytes: costs.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

async function familyOf(rootPid: number): Promise<number[]> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc'))
    if (/^\d+$/.test(name)) parents.set(Number(name), Number((await statOf(Number(name)))[1] ?? 0))
  const isOfFamily = (pid: number): boolean =>
    pid === rootPid || (parents.has(pid) && isOfFamily(parents.get(pid) ?? 0))
  return [...parents.keys()].filter(isOfFamily)
}

/** Fields 14 to 17 of proc_pid_stat(5): of the process, and of its ended children. */
async function ticksOf(pid: number): Promise<number> {
  const fields = await statOf(pid)
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}

/** The fields from the third one on: the second, a name, may contain spaces. */
async function statOf(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

async function sharedOnceBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024
}
