// Lets V8 keep what it makes of the built program, dist/compiled/, with all functions that a role of the service runs to
// start. That needs no database: a role waits for it. Where it fails, the program only starts later.
import { fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ROOT } from './prepare.mjs'

const { load } = createRequire(import.meta.url)('../bin/load-program.cjs')
const { nodeOptionsOf } = load(join(ROOT, 'dist/server/node-options.code.js'))

try {
  for (const role of ['api', 'intake']) await keepCompiled(role)
} catch (error) {
  console.error(error.message)
}

async function keepCompiled(role) {
  const child = fork(join(ROOT, 'scripts/keep-compiled.cjs'), ['serve', '--role', role], {
    execArgv: nodeOptionsOf(role),
    // Of this environment, nothing is for such a role.
    env: { DATABASE_URL: 'postgresql://127.0.0.1:1/', PORT: '0', TELTONIKA_PORT: '0', LOG_LEVEL: 'silent' },
  })
  await new Promise((resolve, reject) => {
    child.on('message', ({ type }) => {
      if (type === 'listening') child.send('keep compiled')
    })
    child.once('exit', code =>
      code === 0 ? resolve() : reject(new Error(`nothing compiled is kept: the role ${role} ended with code ${code}`)),
    )
  })
}
