// `npm run test:quick`: the checks, and beside them the tests of pure code.
import { runChecks, runTests } from './checks.mjs'
import { checkNode, install } from './prepare.mjs'

checkNode()
await install()
const [failedChecks, status] = await Promise.all([
  runChecks(),
  runTests('--project', 'unit', '--reporter=dot', ...process.argv.slice(2)),
])
for (const title of failedChecks) console.error(`${title} failed.`)
process.exitCode = status || (failedChecks.length > 0 ? 1 : 0)
