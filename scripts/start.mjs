// `npm start`: from a fresh clone to a service that answers.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { whenNpmEnds } from '../bin/npm-end.mjs'
import { build, checkEmbeddedServer, checkNode, install, ROOT } from './prepare.mjs'

checkNode()
const settings = join(ROOT, '.env')
if (existsSync(settings)) process.loadEnvFile(settings)
if (!process.env.DATABASE_URL) checkEmbeddedServer('set DATABASE_URL to a PostgreSQL server (15 or later) of your own.')
await install()
await build()

const service = spawn(process.execPath, [join(ROOT, 'dist', 'main.js'), 'serve', '--demo', ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
  // A line for every request would bury the login that is printed.
  env: { ...process.env, LOG_LEVEL: process.env.LOG_LEVEL || 'warn' },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => service.kill(signal))
whenNpmEnds(() => service.kill('SIGTERM'))
service.on('exit', code => {
  process.exitCode = code ?? 1
})
