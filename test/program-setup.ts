import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import type { TestProject } from 'vitest/node'
import { buildProgram } from './serve-process.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** `embedded-process.ts` as JavaScript: many of it are started, and each would take longer to compile it than for all else. */
    readonly embeddedProcess: string
    /** The same of `sealing-process.ts`. */
    readonly sealingProcess: string
    /** The same of the second tenant of attacks. */
    readonly secondTenantProcess: string
  }
}

/** Before any file begins: the program, as two that compile at once would take it away from one another. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildProgram()
  const compiled = await compileProcesses()
  project.provide('embeddedProcess', join(compiled, 'embedded-process.js'))
  project.provide('sealingProcess', join(compiled, 'sealing-process.js'))
  project.provide('secondTenantProcess', join(compiled, 'second-tenant-process.js'))
  return () => rm(compiled, { recursive: true, force: true })
}

/** @returns a folder from which packages are found */
async function compileProcesses(): Promise<string> {
  const cache = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))
  await mkdir(cache, { recursive: true })
  const dir = await mkdtemp(join(cache, 'processes-'))
  await build({
    input: ['embedded-process.ts', 'sealing-process.ts', '../lab/attacks/second-tenant-process.ts'].map(name =>
      fileURLToPath(new URL(name, import.meta.url)),
    ),
    platform: 'node',
    external: /^[^./]/,
    output: { dir, format: 'esm', entryFileNames: '[name].js' },
  })
  await writeFile(join(dir, 'package.json'), '{ "type": "module" }')
  return dir
}
