// `npm run bench`: everything from a fresh clone on, then the benchmarks.
import { build, checkEmbeddedServer, checkNode, install, run, tool } from './prepare.mjs'

checkNode()
checkEmbeddedServer('the benchmarks need one.')
await install()
await build()
await run('bench', process.execPath, [tool('tsx'), 'bench/main.ts', ...process.argv.slice(2)])
