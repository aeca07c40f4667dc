// `npm test`: everything that must be right, one after the other, up to the first that is not.
// Arguments are passed on to vitest: `npm test -- src/store`.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, checkEmbeddedServer, checkNode, install, ROOT, run, tool } from './prepare.mjs'

checkNode()
checkEmbeddedServer('the tests need one.')
install()
build()
run('oxlint', process.execPath, [tool('oxlint'), '--deny-warnings'])
run('biome', process.execPath, [tool('biome', '@biomejs/biome'), 'check', '.'])
run('tsc', process.execPath, [tool('tsc', 'typescript'), '-p', 'tsconfig.json'])
run('tsc (console)', process.execPath, [tool('tsc', 'typescript'), '-p', 'console/tsconfig.json'])

const folder = mkdtempSync(join(tmpdir(), 'tacho-report-'))
const report = join(folder, 'report.json')
console.log('> vitest')
const { status } = spawnSync(
  process.execPath,
  [
    tool('vitest'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: ROOT, stdio: 'inherit' },
)
console.log(summary())
rmSync(folder, { recursive: true, force: true })
process.exitCode = status ?? 1

/** One plain line, last of all, for whoever reads it by machine. */
function summary() {
  try {
    const counts = JSON.parse(readFileSync(report, 'utf8'))
    const skipped = counts.numPendingTests + counts.numTodoTests
    // A file that can not even be loaded has no tests to count.
    const failed = counts.numFailedTests || (counts.success ? 0 : 1)
    return `${counts.numPassedTests} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`
  } catch {
    return '0 passed, 1 failed'
  }
}
