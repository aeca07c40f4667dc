// `npm run attack`: everything from a fresh clone on, then every attack, or those that are named.
import { build, checkEmbeddedServer, checkNode, install, run, tool } from './prepare.mjs'

checkNode()
checkEmbeddedServer('the attacks need one.')
await install()
await build()
await run('attack', process.execPath, [tool('tsx'), 'lab/attacks/main.ts', ...process.argv.slice(2)])
