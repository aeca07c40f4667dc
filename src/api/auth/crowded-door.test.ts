import { afterAll, expect, test } from 'vitest'
import { IS_DEEP } from '../../../test/deep.ts'
import { EMAIL, PASSWORD, startTokenEndpoint } from '../../../test/token-endpoint.ts'

const endpoint = await startTokenEndpoint()
afterAll(() => endpoint.stop())

const NETWORKS = IS_DEEP ? 230 : 60

test(`while ${NETWORKS} networks crowd the door, a user gets in from a known place without waiting for them`, async () => {
  expect((await endpoint.logIn(EMAIL, PASSWORD, '192.0.2.7')).status).toBe(200)
  const answered: string[] = []
  const attempt = async (who: string, email: string, password: string, address: string) => {
    const { status } = await endpoint.logIn(email, password, address)
    answered.push(who)
    return status
  }
  const crowd = Array.from({ length: NETWORKS * 2 }, (_, at) =>
    attempt('crowd', `nobody${at}@example.com`, 'wrong', `198.51.100.${at % NETWORKS}`),
  )
  expect(await attempt('known', EMAIL, PASSWORD, '192.0.2.7')).toBe(200)
  await Promise.all(crowd)
  expect(answered.indexOf('known')).toBeLessThan(NETWORKS)
})
