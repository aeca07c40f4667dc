import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { areMapsSeen, middleOfPixels } from './in-page.ts'

/** Where pictures of every page are to be kept; undefined when nobody asked for them. */
export const PICTURES = process.env.SCREENSHOTS || undefined

/** Where pictures of tests that failed are kept. */
const FAILURES = PICTURES ?? join(tmpdir(), 'tacho-screenshots')

/** What a test that failed saw last. */
export async function keepPictures(pages: readonly Page[], testName: string): Promise<void> {
  mkdirSync(FAILURES, { recursive: true })
  for (const [index, page] of pages.entries()) {
    const path = join(FAILURES, `failed ${testName.slice(0, 80)} ${index}.png`)
    await page.screenshot({ path }).then(
      () => console.info(`what was on the page when it failed: ${path}`),
      () => undefined,
    )
  }
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** How much a channel may differ by from the wanted one: edges are smoothed. */
const TOLERANCE = 12

/** @param color as `#rrggbb` */
export function wantedColor(color: string) {
  return { rgb: [1, 3, 5].map(at => Number.parseInt(color.slice(at, at + 2), 16)), tolerance: TOLERANCE }
}

/**
 * The middle of all that has a colour in a screenshot, in pixels of it. The browser reads the picture, as what a map
 * draws has no roles.
 *
 * @param color as `#rrggbb`
 * @returns undefined when nothing has it
 */
export async function middleOfColor(page: Page, png: Buffer, color: string): Promise<Point | undefined> {
  const middle = await page.evaluate(middleOfPixels, {
    base64: png.toString('base64'),
    ...wantedColor(color),
  })
  return middle ?? undefined
}

const MOST_LOOKS = 12

/** Keeps a picture of a page as soon as two in a row are alike: what was loaded is drawn, what moved stands. */
export async function settledPicture(page: Page, path: string): Promise<void> {
  // Where a map is not seen yet, all pictures are alike.
  await page.waitForFunction(areMapsSeen)
  let before: Buffer | undefined
  for (let look = 0; look < MOST_LOOKS; look++) {
    const picture = await page.screenshot({ path, animations: 'disabled' })
    if (before?.equals(picture)) return
    before = picture
  }
}
