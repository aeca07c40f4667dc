// `npm run bench`: everything from a fresh clone on, then the benchmarks.
import { join } from 'node:path'
import { build, checkEmbeddedServer, checkNode, install, ROOT, run } from './prepare.mjs'

checkNode()
checkEmbeddedServer('the benchmarks need one.')
await install()
await build()
// Packages that are no part of it are found from there.
const program = join(ROOT, 'node_modules/.cache/tacho/bench.mjs')
await run('rolldown (bench)', process.execPath, [join(ROOT, 'scripts/bundle-bench.mjs'), program])
await run('bench', process.execPath, ['--enable-source-maps', program, ...process.argv.slice(2)])
