import type { Browser } from 'playwright-core'
import { describe, inject } from 'vitest'
import { startBrowser } from './browser.ts'

/** How long something on a page is waited for: longer than it takes on any machine that can run these tests. */
export const PATIENCE = { timeout: 60_000 } as const

const program = inject('browserProgram')

/** The browser of this worker; undefined where none can start. */
export const CHROMIUM: Browser | undefined = program === undefined ? undefined : await startBrowser(program)

/** Tests that need a browser: skipped where there is none, which was said. */
export const describeInBrowser = CHROMIUM ? describe : describe.skip
