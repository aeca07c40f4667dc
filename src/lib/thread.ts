import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ResourceLimits, Worker } from 'node:worker_threads'

/**
 * Starts a thread of this program.
 * @param program where its source is, or in the built program what was made of it
 */
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
