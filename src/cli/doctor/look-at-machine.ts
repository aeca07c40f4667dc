import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** How many files a process may have open; undefined where the system does not tell, or has no limit. */
export async function readOpenFiles(): Promise<number | undefined> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  // Node raises the soft limit to the hard one when it starts.
  const hard = /^Max open files +\S+ +(\d+)/m.exec(limits)?.[1]
  return hard === undefined ? undefined : Number(hard)
}

export function knowsTimeZones(): boolean {
  const july = new Date(Date.UTC(2026, 6, 1, 12))
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit' }).format(july) === '14'
  } catch {
    return false
  }
}

/** Whether the system keeps its clock by a time server; undefined where it does not tell. */
export async function readSynchronized(): Promise<boolean | undefined> {
  try {
    const options = { timeout: 5000 }
    const args = ['show', '--property=NTPSynchronized', '--value']
    const { stdout } = await promisify(execFile)('timedatectl', args, options)
    return stdout.trim() === '' ? undefined : stdout.trim() === 'yes'
  } catch {
    return undefined
  }
}
