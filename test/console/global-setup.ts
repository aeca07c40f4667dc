import type { TestProject } from 'vitest/node'
import { buildProgram } from '../serve-process.ts'
import { findBrowser, tryBrowser } from './browser.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The program of a browser; undefined where none can start. */
    readonly browserProgram: string | undefined
  }
}

/** The console as it is delivered, and the browser that each worker starts for itself. */
export default async function setup(project: TestProject): Promise<void> {
  buildProgram()
  project.provide('browserProgram', await browserThatStarts())
}

async function browserThatStarts(): Promise<string | undefined> {
  try {
    const program = await findBrowser()
    await tryBrowser(program)
    return program
  } catch (error) {
    // One that is named must start.
    if (process.env.CHROMIUM) throw error
    const [reason] = /error while loading shared libraries.*/.exec(String(error)) ?? String(error).split('\n')
    console.log(
      `skipped: the tests in a browser, because Chromium cannot start (apt-get install chromium, or set CHROMIUM): ${reason}`,
    )
    return undefined
  }
}
