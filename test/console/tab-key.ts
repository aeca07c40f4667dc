import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { PATIENCE } from './chromium.ts'
import { focused, untilFocusStays } from './in-page.ts'

/** An error says where the tab key came to last: more stops than any page has. */
const SAID_STOPS = 80

interface Stop {
  /** The role of what has the focus, else its element. */
  readonly kind?: string
  /** How its name begins, or what it is like. */
  readonly name: string | RegExp
}

/** Presses the tab key until such a thing has the focus, round and round while it is not there yet. @returns whether that can be seen */
export async function tabTo(page: Page, { kind, name }: Stop): Promise<'seen' | 'not seen'> {
  const passed: string[] = []
  const untilMs = Date.now() + PATIENCE.timeout
  while (Date.now() < untilMs) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(focused)
    const isNamed = typeof name === 'string' ? at?.name.startsWith(name) : name.test(at?.name ?? '')
    if (isNamed && at && (kind === undefined || at.kind === kind)) return at.isSeen ? 'seen' : 'not seen'
    passed.push(`${at?.kind} ${at?.name.slice(0, 60)}`)
  }
  throw new Error(
    `the tab key does not come to ${kind ?? 'anything'} "${name}", but to: ${passed.slice(-SAID_STOPS).join(', ')}`,
  )
}

/** Waits for a dialog that has the focus for good: it is seen a moment before, and keys go to what opened it until then. */
export async function dialogWithFocus(page: Page, name?: string): Promise<void> {
  const dialog = page.getByRole('dialog', name === undefined ? {} : { name })
  await dialog.and(page.locator(':focus-within')).waitFor()
  await page.evaluate(untilFocusStays)
}

/** Goes to a button or link with the tab key and presses Enter. */
export async function enter(page: Page, name: string | RegExp, kind?: string): Promise<void> {
  await tabTo(page, { name, ...(kind === undefined ? {} : { kind }) })
  await page.keyboard.press('Enter')
}

/** Goes to a field with the tab key, which marks what is in it, and types over that. */
export async function typeInto(page: Page, name: string | RegExp, text: string): Promise<void> {
  await tabTo(page, { name })
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(text)
}

/** Goes to a field that offers choices, types what narrows them down, and takes the first. */
export async function choose(page: Page, name: string | RegExp, text: string): Promise<void> {
  await typeInto(page, name, text)
  await page.getByRole('option', { name: text }).first().waitFor()
  await page.evaluate(untilFocusStays)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
}

/** Goes to a field that lists its choices, opens it, and takes one with the arrow keys. */
export async function pick(page: Page, name: string | RegExp, choice: string): Promise<void> {
  await tabTo(page, { name })
  await page.keyboard.press('Enter')
  const option = page.getByRole('option', { name: choice, exact: true })
  await option.waitFor()
  await page.evaluate(untilFocusStays)
  const marked = page.locator('[role="option"][data-combobox-selected]')
  const textOfMarked = async () => (await marked.allInnerTexts()).join()
  // More steps than there are choices would go round for ever.
  const choices = await page.getByRole('option').count()
  for (let step = 0; step <= choices; step++) {
    const before = await textOfMarked()
    if ((await option.getAttribute('data-combobox-selected')) !== null) break
    await page.keyboard.press('ArrowDown')
    // The next key would go one too far while the page still shows the mark before.
    await expect.poll(textOfMarked, PATIENCE).not.toBe(before)
  }
  await page.keyboard.press('Enter')
}
