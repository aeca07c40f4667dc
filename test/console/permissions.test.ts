import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLIENT_PERMISSIONS } from '../../src/catalogue/permissions.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { AILING, driverOf, makeFleet, RESTING } from './made-fleet.ts'
import { type ConsoleWorld, startWorld } from './world.ts'

const FORBIDDEN = 'You have no permission for this.'

/** To somebody who may see neither faults nor the administration. */
const OFFERED = ['Today', 'Map', 'Trips', 'Areas', 'Incidents', 'Rules', 'Statistics', 'Devices']

describeInBrowser('somebody without some permissions', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
    await makeFleet(world.service, world.key)
  })
  afterAll(() => world.stop())

  test('sees no faults, positions and administration, and is told so at their addresses', async () => {
    const as = 'driver@example.com'
    const left = CLIENT_PERMISSIONS.filter(permission => permission !== 'dtcs' && permission !== 'positions')
    await world.addUser(as, left)
    // What the server refuses, the browser tells of, too.
    const page = await world.visit({ hasMaps: false, as, expects: [/status of 403/] })
    const menu = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
    await expect.poll(() => menu.allInnerTexts(), PATIENCE).toEqual(OFFERED)
    const car = page.getByRole('option').filter({ hasText: AILING.licensePlate })
    await car.getByText('Engine warning light on').waitFor()
    await page.getByText('3 cars · you may not see where cars are').waitFor()
    for (const path of ['faults', 'administration']) {
      await page.goto(`/#/${path}`)
      await expect.poll(() => page.getByText(FORBIDDEN).count(), { message: path, ...PATIENCE }).toBe(1)
    }
    await page.goto(`/#/cars/VIN${AILING.vin}`)
    await page.getByRole('heading', { level: 1 }).filter({ hasText: AILING.licensePlate }).waitFor()
    await page.getByText('You may not see where it is').waitFor()
    await page.getByText('You have no permission to see fault codes.').waitFor()
    // Nothing leads to what they would not see, or says that it is not known.
    expect(await page.getByRole('link', { name: 'Show on the map' }).count()).toBe(0)
    expect(await page.getByText('Permanent fault codes').count()).toBe(0)
    await page.goto('/#/trips')
    const trip = page.getByRole('link', { name: new RegExp(`^Trip of ${AILING.licensePlate}`) }).first()
    await trip.waitFor()
    expect(await page.getByRole('columnheader', { name: /^(From|To)$/ }).count()).toBe(0)
    await trip.click()
    await page.getByText('You have no permission to see where cars are, so there is no map.').waitFor()
    await page.getByRole('button', { name: 'Play (space bar)' }).waitFor()
  })

  test('for dongles sees what cars do all the same, and nothing of their dongles but what they measured', async () => {
    const as = 'guard@example.com'
    await world.addUser(as, ['vehicles'])
    const driver = driverOf(RESTING, world.service, world.key)
    await driver.begin()
    await driver.step(20, 44)
    const page = await world.visit({ hasMaps: false, as, path: `/cars/VIN${RESTING.vin}` })
    await page.getByRole('heading', { level: 1 }).filter({ hasText: RESTING.licensePlate }).waitFor()
    await page.getByText('Driving', { exact: true }).waitFor()
    expect(await page.getByText(/Offline|No contact/).count()).toBe(0)
  })

  test('and with none of them is told so, without an error', async () => {
    const as = 'sender@example.com'
    await world.addUser(as, ['ingest'])
    const page = await world.visit({ hasMaps: false, as, expects: [/status of 403/] })
    for (const path of [
      '',
      'map',
      'trips',
      'incidents',
      'incidents/1',
      'rules',
      'faults',
      'statistics',
      'devices',
      'administration',
      `cars/VIN${AILING.vin}`,
      'trips/1',
    ]) {
      await page.goto(`/#/${path}`)
      await expect.poll(() => page.getByText(FORBIDDEN).count(), { message: path, ...PATIENCE }).toBe(1)
    }
  })
})
