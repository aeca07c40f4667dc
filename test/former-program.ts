import { execFile, execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { FORMER_RELEASE } from '../src/db/former-release.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

/** Why the former release can not be built here; undefined when it can: its commit is in the history. */
export const WITHOUT_FORMER = reason()

function reason(): string | undefined {
  try {
    execFileSync('git', ['cat-file', '-e', `${FORMER_RELEASE.commit}^{commit}`], { cwd: ROOT, stdio: 'ignore' })
    return undefined
  } catch {
    return `the history here does not have ${FORMER_RELEASE.commit.slice(0, 10)}, the former release ${FORMER_RELEASE.version}`
  }
}

if (WITHOUT_FORMER) console.log(`skipped: the test of a rolling upgrade, because ${WITHOUT_FORMER}`)

/**
 * Builds the program of the former release, without its console, from its sources and the packages that are installed.
 * @returns its file for Node
 */
export async function buildFormerProgram(): Promise<string> {
  const cache = join(ROOT, 'node_modules', '.cache')
  await mkdir(cache, { recursive: true })
  // In there, so that its packages are found.
  const folder = await mkdtemp(join(cache, 'former-release-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const archive = join(folder, 'sources.tar')
  const parts = ['bin', 'migrations', 'package.json', 'scripts', 'src', 'tsconfig.json']
  await run('git', ['archive', '--output', archive, FORMER_RELEASE.commit, ...parts], { cwd: ROOT })
  await run('tar', ['-xf', archive, '-C', folder])
  await run('ln', ['-s', join(ROOT, 'node_modules'), join(folder, 'node_modules')])
  await run(process.execPath, [join(folder, 'scripts', 'bundle.mjs')], { cwd: folder })
  return join(folder, 'bin', 'tacho.mjs')
}
