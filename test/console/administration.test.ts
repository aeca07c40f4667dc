import { afterAll, beforeAll, expect, test } from 'vitest'
import { imeiOf } from '../../lab/simulation/imei.ts'
import { ALL_PERMISSIONS } from '../../src/catalogue/permissions.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { dialogWithFocus } from './tab-key.ts'
import { type ConsoleWorld, EMAIL, logIn, PASSWORD, PHONE, startWorld } from './world.ts'

describeInBrowser('administration', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world.stop())

  test('a user who is added can log in, and sees what was chosen', async () => {
    const page = await world.visit({ hasMaps: false, path: '/administration', expects: [/status of 400/] })
    await page.getByRole('button', { name: 'Add a user' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a user' })
    await dialog.getByLabel('E-mail').fill('new@example.com')
    await dialog.getByRole('textbox', { name: 'Password' }).fill('a long enough one')
    await dialog.getByRole('checkbox', { name: 'Fault codes' }).uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    const row = page.getByRole('row').filter({ hasText: 'new@example.com' })
    // All but sending, administration and what was taken away.
    const count = ALL_PERMISSIONS.length
    await row.getByText(`${count - 3} of ${count}`).waitFor()
    await row.getByRole('button', { name: 'Change new@example.com' }).click()
    const change = page.getByRole('dialog', { name: 'Change new@example.com' })
    await dialogWithFocus(page, 'Change new@example.com')
    await change.getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('option', { name: 'Workshop' }).click()
    expect(await change.getByRole('checkbox', { name: 'Fault codes' }).isChecked()).toBe(true)
    expect(await change.getByRole('checkbox', { name: 'Where cars are and were' }).isChecked()).toBe(false)
    await change.getByRole('button', { name: 'Save' }).click()
    await row.getByText('Workshop').waitFor()

    const own = await world.visit({ hasMaps: false, as: 'nobody' })
    await logIn(own, 'new@example.com', 'a long enough one')
    const menu = own.getByRole('navigation', { name: 'Pages' }).getByRole('link')
    await expect.poll(() => menu.allInnerTexts(), PATIENCE).toEqual(['Today', 'Map', 'Faults', 'Devices'])
  })

  test('a key that is made works until it is revoked', async () => {
    const page = await world.visit({ hasMaps: false, path: '/administration' })
    await page.getByRole('tab', { name: 'API keys' }).click()
    await page.getByRole('button', { name: 'Create a key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a key' })
    await dialog.getByLabel('Name').fill('workshop')
    await dialog.getByRole('button', { name: 'Create a key' }).click()
    await dialog.getByText('The key is shown only this once.').waitFor()
    const key = await dialog.locator('pre').innerText()
    const status = async () => {
      const headers = { authorization: `Bearer ${key}` }
      return (await fetch(`${world.service.baseUrl}/vehicles`, { headers })).status
    }
    expect(await status()).toBe(200)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Revoke the key workshop?' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await expect.poll(() => page.getByRole('cell', { name: 'workshop' }).count(), PATIENCE).toBe(0)
    await expect.poll(status, PATIENCE).toBe(401)
  })

  test('an IMEI with a wrong digit is asked about at its field, and a dongle goes into a car with another one only after a question', async () => {
    const dongles = [911, 912].map(serial => String(imeiOf('35630704', serial)))
    const [first = '', second = ''] = dongles
    const page = await world.visit({ hasMaps: false, language: 'de', path: '/administration?tab=dongles' })
    const register = page.getByRole('button', { name: 'Eintragen' })
    const wrong = `${first.slice(0, -1)}${(Number(first.at(-1)) + 1) % 10}`
    await page.getByLabel('IMEI').fill(wrong)
    await register.click()
    await page.getByText('Eine der Ziffern ist falsch').waitFor()
    await register.click()
    await page.getByText(`Das Gerät ${wrong} ist eingetragen.`).waitFor()
    for (const [index, imei] of dongles.entries()) {
      await page.getByLabel('IMEI').fill(imei)
      await page.getByLabel('Kennzeichen').fill(`KA-TC ${20 + index}`)
      await register.click()
      await page.getByText(`Das Gerät ${imei} ist eingetragen.`).waitFor()
    }
    await page.getByRole('combobox', { name: 'Gerät', exact: true }).fill(first)
    await page.getByRole('option', { name: `${first} (KA-TC 20)` }).click()
    await page.getByRole('combobox', { name: 'In das Fahrzeug' }).fill('KA-TC 21')
    await page.getByRole('option', { name: 'KA-TC 21' }).click()
    await page.getByRole('button', { name: 'Zuordnen' }).click()
    const dialog = page.getByRole('dialog', { name: `Das Gerät ${first} dem Fahrzeug KA-TC 21 zuordnen?` })
    await dialog.getByText(`In KA-TC 21 ist schon das Gerät ${second}`).waitFor()
    await dialog.getByRole('button', { name: 'Trotzdem zuordnen' }).click()
    await page.getByText(`Das Gerät ${first} ist jetzt in KA-TC 21.`).waitFor()
    const headers = { authorization: `Bearer ${world.key}` }
    const inCar = async (imei: string) =>
      ((await (await fetch(`${world.service.baseUrl}/devices/${imei}`, { headers })).json()) as { vehicleId: string })
        .vehicleId
    expect(await inCar(first)).toBe(await inCar(second))
  })

  test('a dongle that is registered appears on the map with its car, and is deleted with it after a question that names both', async () => {
    const [imei, plate] = [String(imeiOf('35630704', 910)), 'KA-TC 10']
    const page = await world.visit({ hasMaps: false, path: '/administration?tab=dongles' })
    await page.getByLabel('IMEI').fill(imei)
    await page.getByLabel('Licence plate').fill(plate)
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByText(`The device ${imei} is registered.`).waitFor()
    await page.getByRole('link', { name: 'Map' }).click()
    await page.getByRole('option').filter({ hasText: plate }).getByText('No values yet').waitFor()
    await page.goBack()
    const status = async () => {
      const headers = { authorization: `Bearer ${world.key}` }
      return (await fetch(`${world.service.baseUrl}/devices/${imei}`, { headers })).status
    }
    await page.getByRole('combobox', { name: 'Device to delete' }).fill(imei)
    await page.getByRole('option', { name: `${imei} (${plate})` }).click()
    await page.getByRole('button', { name: 'Delete …' }).click()
    const dialog = page.getByRole('dialog', { name: `Delete the device ${imei}?` })
    await dialog.getByText(`it is in ${plate} now`).waitFor()
    await dialog.getByText('measurements, trips, fault codes and statistics').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await status()).toBe(200)
    await page.getByRole('button', { name: 'Delete …' }).click()
    await dialog.getByRole('button', { name: 'Delete for good' }).click()
    await page.getByText(`The device ${imei} is deleted.`).waitFor()
    expect(await status()).toBe(404)
    await page.getByRole('link', { name: 'Devices' }).click()
    await page.getByRole('heading', { name: 'Devices' }).waitFor()
    await expect.poll(() => page.getByText(imei).count(), PATIENCE).toBe(0)
    await page.getByRole('link', { name: 'Map' }).click()
    await expect.poll(() => page.getByText(plate).count(), PATIENCE).toBe(0)
  })

  test('the session of who is removed ends; keys are taken over or rest until they are', async () => {
    const email = 'leaver@example.com'
    await world.addUser(email, ALL_PERMISSIONS)
    const own = await world.visit({
      hasMaps: false,
      as: email,
      path: '/administration?tab=keys',
      expects: [/status of 40[01]/],
    })
    for (const name of ['weighbridge', 'fuel pump']) {
      await own.getByRole('button', { name: 'Create a key' }).click()
      const dialog = own.getByRole('dialog', { name: 'Create a key' })
      await dialog.getByLabel('Name').fill(name)
      await dialog.getByRole('button', { name: 'Create a key' }).click()
      await dialog.getByRole('button', { name: 'Done' }).click()
    }
    const page = await world.visit({ hasMaps: false, path: '/administration?tab=keys' })
    await page.getByRole('row').filter({ hasText: 'fuel pump' }).getByText(email).waitFor()
    await page.getByRole('tab', { name: 'Users' }).click()
    await page.getByRole('button', { name: `Remove ${email}?` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('weighbridge').waitFor()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => page.getByRole('cell', { name: email }).count(), PATIENCE).toBe(0)
    await own.getByRole('button', { name: 'Log in' }).waitFor()
    await page.getByRole('tab', { name: 'API keys' }).click()
    const row = page.getByRole('row').filter({ hasText: 'weighbridge' })
    await row.getByText('suspended').waitFor()
    await row.getByRole('button', { name: 'Take the key weighbridge over?' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Take over' }).click()
    await row.getByText(EMAIL).waitFor()
    expect(await page.getByText('suspended').count()).toBe(1)
  })

  test('the security log says who did what, and can be searched', async () => {
    const page = await world.visit({ hasMaps: false, path: '/administration?tab=security-log' })
    const table = page.getByRole('table', { name: 'Security log' })
    await table.getByRole('row').filter({ hasText: 'Logged in' }).filter({ hasText: EMAIL }).first().waitFor()
    await page.getByLabel('What').selectOption('Registered a device')
    await expect.poll(() => table.getByText('Logged in').count(), PATIENCE).toBe(0)
    await table.getByText('Registered a device').first().waitFor()
    await page.getByLabel('Who').fill('nobody@example.com')
    await page.getByText('No lines').waitFor()
  })

  test('everybody changes the own password', async () => {
    const email = 'viewer@example.com'
    await world.addUser(email, ['vehicles'])
    const page = await world.visit({ hasMaps: false, as: email, expects: [/status of 400/] })
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Profile and password' }).click()
    const fill = async (current: string, next: string) => {
      const field = (name: string) => page.getByRole('textbox', { name, exact: true })
      await field('Current password').fill(current)
      await field('New password').fill(next)
      await field('New password once more').fill(next)
      await page.getByRole('button', { name: 'Change the password' }).click()
    }
    await fill('wrong', 'seven mice dance home')
    await page.getByText('The current password is wrong.').waitFor()
    await fill(PASSWORD, 'password1234')
    await page.getByText('The new password is too easy to guess.').waitFor()
    await fill(PASSWORD, 'seven mice dance home')
    await page.getByText('The password is changed.').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    const again = await world.visit({ hasMaps: false, as: 'nobody' })
    await logIn(again, email, 'seven mice dance home')
    await again.getByRole('navigation', { name: 'Pages' }).waitFor()
    expect(new URL(page.url()).hash).toBe('#/account')
  })

  test('tabs stand in one row on a phone, the chosen one in view', async () => {
    const page = await world.visit({ hasMaps: false, isPhone: true, path: '/administration?tab=security-log' })
    const chosen = page.getByRole('tab', { selected: true })
    await page.getByRole('tab', { name: 'Security log', selected: true }).waitFor()
    const isInView = async () => {
      const box = await chosen.boundingBox()
      return box !== null && box.x >= 0 && box.x + box.width <= PHONE.width
    }
    await expect.poll(isInView, PATIENCE).toBe(true)
    const heights = await Promise.all(
      (await page.getByRole('tab').all()).map(async tab => (await tab.boundingBox())?.y),
    )
    expect(new Set(heights).size).toBe(1)
    await chosen.focus()
    for (const name of ['Users', 'API keys']) {
      await page.keyboard.press('ArrowRight')
      await page.getByRole('tab', { name, selected: true }).waitFor()
      await expect.poll(isInView, PATIENCE).toBe(true)
    }
  })
})
