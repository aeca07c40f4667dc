import { afterAll, beforeAll, expect, test } from 'vitest'
import { ALL_PERMISSIONS } from '../../src/catalogue/permissions.ts'
import { sql } from '../../src/db/sql.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { makeFleet, SOUND } from './made-fleet.ts'
import { type ConsoleWorld, logIn, startWorld } from './world.ts'

describeInBrowser('a session', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
    await makeFleet(world.service, world.key)
  })
  afterAll(() => world.stop())

  const endTokens = (kind: 'access' | 'refresh', email: string) =>
    world.service.database.rows(sql`
      delete from tokens where kind = ${kind} and user_id = (select id from users where email = ${email})`)

  const countAccessTokens = async (email: string) => {
    const tokens = await world.service.database.rows(sql`
      select 1 as one from tokens where kind = 'access' and user_id = (select id from users where email = ${email})`)
    return tokens.length
  }

  test('does not begin with a wrong password; begun with the right one it survives a reload, and ends in all tabs', async () => {
    const page = await world.visit({
      keepsApp: true,
      hasMaps: false,
      as: 'nobody',
      path: '/devices',
      expects: [/status of 400.*auth\/token/],
    })
    await logIn(page, undefined, 'wrong')
    await page.getByRole('alert').getByText('E-mail or password is wrong.').waitFor()
    await logIn(page)
    // The address stayed, so the login leads to where it pointed.
    await page.getByRole('heading', { name: 'Devices' }).waitFor()
    expect(new URL(page.url()).hash).toBe('#/devices')
    await page.reload()
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()

    const second = await page.context().newPage()
    await second.goto('/')
    await second.getByRole('navigation', { name: 'Pages' }).waitFor()
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    await second.getByRole('button', { name: 'Log in' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Log in' }).waitFor()
  })

  test('goes on by itself when the access token ended, and at the same page after a login when all ended', async () => {
    const as = 'long@example.com'
    await world.addUser(as, ALL_PERMISSIONS)
    const page = await world.visit({ hasMaps: false, as, path: '/devices', expects: [/status of 40[01]/] })
    const dongle = page.getByRole('cell', { name: String(SOUND.deviceId) })
    await dongle.waitFor()

    await endTokens('access', as)
    await page.getByRole('link', { name: 'Administration' }).click()
    await page
      .getByRole('table', { name: 'Users' })
      .getByRole('cell', { name: `${as} you` })
      .waitFor()
    // That may have come with the old token, which the service knows for half a second: the session below must be the renewed one.
    await expect.poll(() => countAccessTokens(as), PATIENCE).toBe(1)
    // The stream is back, too.
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()

    await page.goto(`/#/cars/VIN${SOUND.vin}`)
    await page.getByRole('heading', { level: 1 }).filter({ hasText: SOUND.licensePlate }).waitFor()
    // The other way round, the page might have a new one of each between the two.
    await endTokens('refresh', as)
    await endTokens('access', as)
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    await logIn(page, as)
    await page.getByRole('heading', { level: 1 }).filter({ hasText: SOUND.licensePlate }).waitFor()
    expect(new URL(page.url()).hash).toBe(`#/cars/VIN${SOUND.vin}`)
  })

  test('of somebody else, begun in another tab, takes the place of the first, of which nothing is left', async () => {
    const [first, second] = ['first@example.com', 'second@example.com']
    await world.addUser(first, ['vehicles', 'devices'])
    await world.addUser(second, ['devices'])
    const page = await world.visit({ hasMaps: false, as: first, path: '/devices' })
    const car = page.getByRole('cell', { name: SOUND.licensePlate })
    await car.waitFor()
    const other = await page.context().newPage()
    await other.goto('/')
    await other.getByRole('button', { name: 'Your account' }).click()
    await other.getByRole('menuitem', { name: 'Log out' }).click()
    await logIn(other, second)

    await page.getByRole('cell', { name: String(SOUND.deviceId) }).waitFor()
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByText(second).waitFor()
    expect(await car.count()).toBe(0)
  })
})
