// `npm start`: from a fresh clone to a service that answers.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { build, checkEmbeddedServer, checkNode, install, ROOT } from './prepare.mjs'

checkNode()
if (!process.env.DATABASE_URL) checkEmbeddedServer('set DATABASE_URL to a PostgreSQL server (15 or later) of your own.')
install()
build()

const service = spawn(process.execPath, [join(ROOT, 'dist', 'main.js'), 'serve', '--demo', ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
  // A line for every request would bury the login that is printed.
  env: { ...process.env, LOG_LEVEL: process.env.LOG_LEVEL || 'warn' },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => service.kill(signal))
service.on('exit', code => {
  process.exitCode = code ?? 1
})
