import { type Browser, chromium } from 'playwright-core'
import { describe, inject } from 'vitest'

/** How long something on a page is waited for: longer than it takes on any machine that can run these tests. */
export const PATIENCE = { timeout: 60_000 } as const

const browserUrl = inject('browserUrl')

/** The browser of this run; undefined where none can start. */
export const CHROMIUM: Browser | undefined = browserUrl === undefined ? undefined : await chromium.connect(browserUrl)

/** Tests that need a browser: skipped where there is none, which was said. */
export const describeInBrowser = CHROMIUM ? describe : describe.skip
