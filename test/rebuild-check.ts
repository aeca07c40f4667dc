import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { eventually } from './eventually.ts'
import { PROGRAM } from './serve-process.ts'

/** What `tacho rebuild` says with an option, whatever its exit code. */
async function rebuild(databaseUrl: string, option: '--check' | '--status'): Promise<string> {
  const env = { ...process.env, DATABASE_URL: databaseUrl }
  const done = promisify(execFile)(process.execPath, [PROGRAM, 'rebuild', option], { env })
  const { stdout } = await done.catch((error: unknown) => error as { readonly stdout: string })
  return stdout
}

/** Waits until all histories are folded by the rules of this version, and expects everything derived to be what samples say. */
export async function expectNoDifferences(databaseUrl: string): Promise<void> {
  await eventually(async () => expect(await rebuild(databaseUrl, '--status')).toContain('nothing waits'))
  expect(await rebuild(databaseUrl, '--check')).toContain('no differences')
}
