import type { Browser } from 'playwright-core'
import { describe, vi } from 'vitest'
import { startBrowser } from './browser.ts'

// Pages are drawn by the processor of this machine, which may have much else to do.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** How long something on a page is waited for: longer than it takes on any machine that can run these tests. */
export const PATIENCE = { timeout: 20_000 } as const

/** The browser of this test file; undefined where none can start. One that `CHROMIUM` names must. */
export const CHROMIUM: Browser | undefined = await startBrowser().catch((error: unknown) => {
  if (process.env.CHROMIUM) throw error
  const [reason] = /error while loading shared libraries.*/.exec(String(error)) ?? String(error).split('\n')
  console.log(
    `skipped: the tests in a browser, because Chromium can not start (apt-get install chromium, or set CHROMIUM): ${reason}`,
  )
  return undefined
})

/** Tests that need a browser: skipped where there is none, which was said. */
export const describeInBrowser = CHROMIUM ? describe : describe.skip
