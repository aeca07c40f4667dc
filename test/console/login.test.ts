import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './chromium.ts'
import { type ConsoleWorld, logIn, startWorld } from './world.ts'

describeInBrowser('login', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world.stop())

  test('a wrong password is told; the right one leads in, survives a reload, and ends in all tabs', async () => {
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
    await page
      .getByRole('heading', { name: 'Devices' })
      .or(page.getByText('No device has reported yet'))
      .first()
      .waitFor()
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
})
