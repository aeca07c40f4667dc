import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { nodeOptionsOf } from '../../src/server/node-options.ts'

/**
 * Some benchmarks store and derive in their own process, so it gets the options of an intake: runs it again with them, and ends this one as
 * that one ended. Returns in a process that has them.
 */
export async function runAsIntake(): Promise<void> {
  const missing = nodeOptionsOf('intake').filter(option => !process.execArgv.includes(option))
  if (missing.length === 0) return
  const child = spawn(process.execPath, [...process.execArgv, ...missing, ...process.argv.slice(1)], {
    stdio: 'inherit',
  })
  const [status] = await once(child, 'exit')
  process.exit(typeof status === 'number' ? status : 1)
}
