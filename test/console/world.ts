import { randomUUID } from 'node:crypto'
import type { BrowserContext, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { ensureAccount } from '../../src/access/accounts.ts'
import { hashPassword } from '../../src/access/passwords.ts'
import { createUser } from '../../src/access/users.ts'
import { ALL_PERMISSIONS, type Permission } from '../../src/catalogue/permissions.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { freePort } from '../free-port.ts'
import { startService, type TestService } from '../service.ts'
import { CHROMIUM, PATIENCE } from './chromium.ts'
import { beginAnew, drawNoMaps, keepNoApp, openPage, saveData } from './in-page.ts'
import { TIME_ZONE } from './made-fleet.ts'
import { keepPictures } from './picture.ts'
import { watch } from './watch.ts'

const ACCOUNT = 'Fleet'
export const EMAIL = 'chief@example.com'
export const PASSWORD = 'correct horse battery'

export interface VisitOptions {
  /** Whose session it is; `nobody` sees the login. */
  readonly as?: string
  /** What stands behind the `#`. */
  readonly path?: string
  readonly scheme?: 'light' | 'dark'
  /** `none`: the locale of the browser is no language tag, as where LANG is C. */
  readonly language?: 'en' | 'de' | 'none'
  readonly isPhone?: boolean
  /** True for somebody who did not ask for less motion. */
  readonly hasMotion?: boolean
  /** False in a test that is not about maps: without WebGL there are none, and nothing has to be drawn. */
  readonly hasMaps?: boolean
  /** True in a test that is not about rivers, lakes and finer outlines: to draw them costs as much as all else on a map. */
  readonly savesData?: boolean
  /** True in a test of the console without a network: to keep its files for that, the browser loads all of them once more. */
  readonly keepsApp?: boolean
  /** The node that is visited, if not the first. */
  readonly url?: string
  /** What the browser may complain of. */
  readonly expects?: readonly RegExp[]
}

/** A service with the console, somebody who may do everything, and a browser. */
export interface ConsoleWorld {
  readonly service: TestService
  /** With every permission of the account. */
  readonly key: string
  addUser(email: string, permissions: readonly Permission[]): Promise<void>
  /**
   * Opens the console in a browser of its own, logged in, that knows nothing of earlier tests. It is closed with the test, which fails if
   * the page had an error that nobody expected, or asked anybody but its own server.
   */
  visit(options?: VisitOptions): Promise<Page>
  stop(): Promise<void>
}

/** What the console keeps in the browser, by name. */
type Kept = Readonly<Record<string, string>>

/** What pages of one browser have in common; all else is chosen for each page. */
interface Kind {
  readonly url: string
  /** What a service was set to stays in the browser with its pages. */
  readonly settings: Readonly<Record<string, string>>
  readonly language: 'en' | 'de' | 'none'
  readonly maps: 'none' | 'coarse' | 'fine'
  readonly keepsApp: boolean
}

/** A browser that the next visit of the same kind may use: what was compiled for the last one is there, half of what a visit costs. */
interface Place {
  readonly context: BrowserContext
  /** Opens all other pages, so that they are in its process: a page that is opened from outside may have one of its own. */
  readonly keeper: Page
  /** What its pages complained of since this was called last. */
  readonly complaints: () => readonly string[]
}

/** Every service of this process has the same address, one after the other: to the browser, its pages are those of one server. */
const PORT = String(await freePort())

/** Places that nobody visits, by the text of their kind; the first has waited longest. */
const idle: { readonly kind: string; readonly place: Place }[] = []

/** Each is a process of the browser with all that was compiled in it. */
const MOST_IDLE = 4

/** A small window: what is drawn of a page costs as much as its area. */
export const SCREEN = { width: 1024, height: 640 }
export const PHONE = { width: 390, height: 844 }

export async function startWorld(environment: Record<string, string> = {}): Promise<ConsoleWorld> {
  if (!CHROMIUM) throw new Error('there is no browser')
  const chromium = CHROMIUM
  const service = await startService({ PORT, ...environment })
  const sessions = new Map<string, Kept>()

  const placeFor = async ({ url, language, maps, keepsApp }: Kind): Promise<Place> => {
    const context = await chromium.newContext({
      baseURL: url,
      viewport: SCREEN,
      ...(language !== 'none' && { locale: language === 'de' ? 'de-DE' : 'en-GB' }),
      timezoneId: TIME_ZONE,
      reducedMotion: 'reduce',
    })
    context.setDefaultTimeout(PATIENCE.timeout)
    if (maps === 'none') await context.addInitScript(drawNoMaps)
    if (maps === 'coarse') await context.addInitScript(saveData)
    if (!keepsApp) await context.addInitScript(keepNoApp)
    const complaints = watch(context, url)
    const keeper = await context.newPage()
    await keeper.goto('/icon.svg')
    return { context, keeper, complaints }
  }

  /** As the login of the console leaves it in the browser. */
  const sessionOf = async (email: string, url: string): Promise<Kept> => {
    const known = sessions.get(email + url)
    if (known) return known
    const body = new URLSearchParams({
      client_id: 'connectedCarApi',
      grant_type: 'password',
      rotate_refresh_tokens: 'true',
      username: email,
      password: PASSWORD,
    })
    const reply = await fetch(`${url}/auth/token`, { method: 'POST', body })
    if (!reply.ok) throw new Error(`${email} was not let in: ${reply.status} ${await reply.text()}`)
    const given = (await reply.json()) as Record<'access_token' | 'refresh_token', string> & { expires_in: number }
    const tokens = {
      loginId: randomUUID(),
      userName: email,
      accessToken: given.access_token,
      refreshToken: given.refresh_token,
      renewMs: Date.now() + (given.expires_in * 1000) / 2,
    }
    const session = { 'tacho.session': JSON.stringify(tokens) }
    sessions.set(email + url, session)
    return session
  }

  const addUser = async (email: string, permissions: readonly Permission[]) => {
    const passwordHash = await hashPassword(PASSWORD)
    await writeTransaction(service.database, async transaction => {
      const { id: accountId } = await ensureAccount(transaction, ACCOUNT)
      const made = await createUser(transaction, { accountId, email, passwordHash, permissions })
      if (made.kind === 'refused') throw new Error(made.text)
    })
  }

  await addUser(EMAIL, ALL_PERMISSIONS)
  return {
    service,
    key: await service.key(ACCOUNT),
    addUser,
    async visit({ as = EMAIL, path = '/map', expects = [], url = service.url, ...options } = {}) {
      const session = as === 'nobody' ? {} : await sessionOf(as, url)
      const { scheme = 'light', language = 'en', keepsApp = false } = options
      const maps = options.hasMaps === false ? 'none' : options.savesData ? 'coarse' : 'fine'
      const wanted: Kind = { url, settings: environment, language, maps, keepsApp }
      const kind = JSON.stringify(wanted)
      const waiting = idle.findLastIndex(one => one.kind === kind)
      const place = idle.splice(waiting, waiting < 0 ? 0 : 1)[0]?.place ?? (await placeFor(wanted))
      const { context, keeper, complaints } = place
      await keeper.evaluate(beginAnew, session)
      onTestFinished(async ({ task }) => {
        const pages = context.pages().filter(page => page !== keeper)
        if (task.result?.state === 'fail') await keepPictures(pages, task.name)
        // The files of the console would be there for the next visit.
        if (keepsApp || task.result?.state === 'fail') await context.close()
        else {
          for (const page of pages) await page.close()
          idle.push({ kind, place })
          if (idle.length > MOST_IDLE) await idle.shift()?.place.context.close()
        }
        expect(complaints().filter(text => !expects.some(expected => expected.test(text)))).toEqual([])
      })
      const [page] = await Promise.all([keeper.waitForEvent('popup'), keeper.evaluate(openPage)])
      if (options.isPhone) await page.setViewportSize(PHONE)
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: options.hasMotion ? 'no-preference' : 'reduce' })
      await page.goto(`/#${path}`)
      return page
    },
    stop: () => service.stop(),
  }
}

/** Fills in the login that the page shows, in English. */
export async function logIn(page: Page, email = EMAIL, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}
