// `npm test`: everything that must be right, the checks beside the tests.
// Arguments are passed on to vitest: `npm test -- src/db`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChecks, runTests } from './checks.mjs'
import { build, checkEmbeddedServer, checkNode, install } from './prepare.mjs'

checkNode()
checkEmbeddedServer('the tests need one.')
await install()
// The checks read no program: they begin while it is built.
const checks = runChecks()
await build()

const chosen = process.argv.slice(2)
// See vitest.config.ts.
if (chosen.length === 0) process.env.TEST_ALL = 'together'
const folder = mkdtempSync(join(tmpdir(), 'tacho-report-'))
const report = join(folder, 'report.json')
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
const [failedChecks, status] = await Promise.all([checks, runTests(...reporters, ...chosen)])
for (const title of failedChecks) console.error(`${title} failed.`)
console.log(summary())
rmSync(folder, { recursive: true, force: true })
process.exitCode = status || (failedChecks.length > 0 ? 1 : 0)

/** One plain line, last of all, for whoever reads it by machine. */
function summary() {
  try {
    const counts = JSON.parse(readFileSync(report, 'utf8'))
    const skipped = counts.numPendingTests + counts.numTodoTests
    // A file that cannot even be loaded has no tests to count.
    const failed = (counts.numFailedTests || (counts.success ? 0 : 1)) + failedChecks.length
    return `${counts.numPassedTests} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`
  } catch {
    return '0 passed, 1 failed'
  }
}
