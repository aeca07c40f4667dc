import { totalmem } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ResourceLimits, Worker } from 'node:worker_threads'

/** @param program its source, which stands for the built file in the built program */
export function startThread(program: URL, resourceLimits: ResourceLimits): Worker {
  const options = { execArgv: [], resourceLimits }
  if (extname(program.pathname) !== '.ts') return new Worker(program, options)
  // When the sources run directly, as in tests, a thread needs the loader.
  const begin = `require('tsx/cjs/api').register(); require(${JSON.stringify(fileURLToPath(program))})`
  return new Worker(begin, { ...options, eval: true })
}

/** Bytes with a buffer of their own, which may be transferred to a thread instead of copied. */
export function transferOf({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}

/** True if a process of this machine, or of this container, has this number; also if it is somebody else's. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const GIB = 2 ** 30

/** Bytes of memory of the machine, or of the container where that is less. */
export function machineMemoryBytes(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}

/** True if the service shares so little memory with everything else there that it takes less for speed. */
function isSmallMachine(): boolean {
  return machineMemoryBytes() < 2 * GIB
}

/** V8 options for the intake, where memory allows; one stays only if it gains more than a tenth (docs/adr/0030). A
 * large young generation holds a burst; and with few dongles V8 would think itself idle and collect constantly. */
const GARBAGE_COLLECTION = ['--max-semi-space-size=64', '--no-memory-reducer']

/** @returns the arguments of Node for the process of a role */
export function nodeOptionsOf(role: 'api' | 'intake'): readonly string[] {
  return role === 'intake' && !isSmallMachine() ? GARBAGE_COLLECTION : []
}
