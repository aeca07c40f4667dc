// What can be told of the sources without running them: style, mistakes, types.
import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { ROOT, tool } from './prepare.mjs'

/** Some checks are written in Go, which would collect garbage for a fifth of their time: they end soon, before they have that much of it. */
const OF_CHECKS = { ...process.env, GOGC: 'off', GOMEMLIMIT: '2GiB' }

/** Tests wait for much of their time, and nobody waits for the checks: these get what is left of the processors, and a little more. */
const PRIORITY_OF_CHECKS = 10

/** Runs the checks one after the other, beside whatever else runs. @returns the titles of those that failed */
export async function runChecks() {
  // Of several checkers, each would find out for itself what types are that all use: twice the work.
  const types = [tool('tsc', 'typescript'), '--checkers', '1', '-p']
  const checks = [
    ['oxlint', tool('oxlint'), '--deny-warnings'],
    ['biome', tool('biome', '@biomejs/biome'), 'check', '.'],
    ['tsc', ...types, 'tsconfig.json'],
    ['tsc (console)', ...types, 'console/tsconfig.json'],
  ]
  const failed = []
  for (const [title, ...args] of checks) {
    let output = ''
    const status = await runNode(args, text => {
      output += text
    })
    // In one piece, as something else writes meanwhile.
    console.log(`> ${title}: ${status === 0 ? 'passed' : 'FAILED'}\n${output}`.trimEnd())
    if (status !== 0) failed.push(title)
  }
  return failed
}

/** Runs vitest. @returns its exit code */
export function runTests(...args) {
  return runNode([tool('vitest'), 'run', ...args])
}

/** @param onText gets what the program writes; without it, that goes to where this one writes */
function runNode(args, onText) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: onText ? OF_CHECKS : process.env,
      stdio: onText ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    })
    if (onText && child.pid !== undefined) setPriority(child.pid, PRIORITY_OF_CHECKS)
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onText)
    child.once('error', reject)
    child.once('close', code => resolve(code ?? 1))
  })
}
