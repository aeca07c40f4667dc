import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inject, onTestFinished } from 'vitest'
import { databaseUrl } from '../src/server/embedded/claim.ts'
import { isAlive } from './embedded-folder.ts'
import { eventually } from './eventually.ts'

const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The program, to be run by Node. */
export const PROGRAM = inRoot('bin/tacho.mjs')

export const EMAIL = 'operator@tacho.example'
export const PASSWORD = 'correct horse battery'

/** The whole service in processes of its own, as `tacho serve` runs it. */
export interface Service {
  readonly supervisor: ChildProcess
  readonly address: string
  readonly databaseUrl: string
  /** What it wrote so far. */
  output(): string
  /**
   * Process ids: `supervisor`, `api`, `intake`, `backup`, `postgres`.
   * @throws when it has not started yet
   */
  pidOf(part: ServicePart): number
  /** Settles with its exit code. */
  readonly exited: Promise<number | null>
}

export type ServicePart = 'supervisor' | 'api' | 'intake' | 'backup' | 'postgres'

/** Compiles the program unless `npm test` just did. */
export function buildProgram(): void {
  execFileSync(process.execPath, [inRoot('scripts/build.mjs')], { stdio: 'inherit' })
}

/** Places a database in a folder for a service, which then need not make one: that takes longer than the start. */
export function placeDatabase(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  execFileSync('cp', ['-a', inject('madeDatabase'), folder])
  return folder
}

/**
 * Starts `tacho serve` with its data in `folder`; what is left of it is killed with the test.
 * @param settings for its environment; with a DATABASE_URL it has no database of its own
 * @param program another one than this version
 */
export function startService(
  folder: string,
  port: number,
  teltonikaPort = 0,
  settings: Readonly<Record<string, string>> = {},
  program: string = PROGRAM,
): Service {
  const env = { ...process.env, TACHO_DATA: folder, PORT: String(port), TACHO_EMAIL: EMAIL, TACHO_PASSWORD: PASSWORD }
  const supervisor = spawn(process.execPath, [program, 'serve'], {
    env: { ...env, TELTONIKA_PORT: String(teltonikaPort), DATABASE_URL: '', LOG_LEVEL: 'info', ...settings },
    // As a shell does it: Ctrl-C reaches the group.
    detached: true,
  })
  let output = ''
  for (const stream of [supervisor.stdout, supervisor.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const exited = once(supervisor, 'exit').then(([code]) => code as number | null)
  const postgresFile = join(folder, 'postgres', 'postmaster.pid')
  const pidOf = (part: ServicePart) => {
    if (part === 'supervisor') return supervisor.pid!
    const pid =
      part === 'postgres'
        ? readFileSync(postgresFile, 'utf8').match(/^\d+/)?.[0]
        : // Of several, the last one is the one that runs.
          [...output.matchAll(new RegExp(`"pid":(\\d+),"role":"${part}"`, 'g'))].at(-1)?.[1]
    if (pid === undefined) throw new Error(`${part} has not started`)
    return Number(pid)
  }
  onTestFinished(async () => {
    for (const part of ['supervisor', 'api', 'intake', 'backup'] as const) killIfThere(() => pidOf(part))
    const postgres = existsSync(postgresFile) ? pidOf('postgres') : undefined
    if (postgres === undefined) return
    killIfThere(() => postgres)
    while (isAlive(postgres)) await sleep(50)
  })
  const address = `http://127.0.0.1:${port}`
  return {
    supervisor,
    address,
    databaseUrl: settings.DATABASE_URL ?? databaseUrl(join(folder, 'postgres')),
    output: () => output,
    pidOf,
    exited,
  }
}

function killIfThere(pid: () => number): void {
  try {
    process.kill(pid(), 'SIGKILL')
  } catch {
    // It has ended already, or never ran.
  }
}

/** Waits until the service answers and its database does. */
export async function untilReady({ address }: Pick<Service, 'address'>): Promise<void> {
  await eventually(async () => {
    const { status } = await fetch(`${address}/readyz`)
    if (status !== 200) throw new Error(`/readyz: ${status}`)
  })
}

export async function logIn({ address }: Pick<Service, 'address'>): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'password', username: EMAIL, password: PASSWORD })
  const reply = await fetch(`${address}/auth/token`, { method: 'POST', body })
  const { access_token: token } = (await reply.json()) as { access_token?: string }
  if (!token) throw new Error(`no token: ${reply.status}`)
  return token
}
