// `npm start`: from a fresh clone to a service that answers.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build, checkEmbeddedServer, checkNode, install, ROOT } from './prepare.mjs'

checkNode()
const settings = join(ROOT, '.env')
if (existsSync(settings)) process.loadEnvFile(settings)
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
// A SIGTERM ends npm and the shell that it started this with, and neither passes it on.
const parent = process.ppid
const watch = setInterval(() => {
  if (process.env.npm_lifecycle_event && process.ppid !== parent) service.kill('SIGTERM')
}, 250)
service.on('exit', code => {
  clearInterval(watch)
  process.exitCode = code ?? 1
})
