import type { BrowserServer } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { buildProgram } from '../serve-process.ts'
import { startBrowserServer } from './browser.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the one browser of the run listens; undefined where none can start. */
    readonly browserUrl: string | undefined
  }
}

/** The console as it is delivered, and one browser for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildProgram()
  const browser = await startedBrowser()
  project.provide('browserUrl', browser?.wsEndpoint())
  return async () => {
    await browser?.close()
  }
}

async function startedBrowser(): Promise<BrowserServer | undefined> {
  try {
    return await startBrowserServer()
  } catch (error) {
    // One that is named must start.
    if (process.env.CHROMIUM) throw error
    const [reason] = /error while loading shared libraries.*/.exec(String(error)) ?? String(error).split('\n')
    console.log(
      `skipped: the tests in a browser, because Chromium can not start (apt-get install chromium, or set CHROMIUM): ${reason}`,
    )
    return undefined
  }
}
