import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi, type TestApi, type TestClient } from '../../../test/api.ts'
import { expectDocumented } from '../../../test/openapi-conformity.ts'

let api: TestApi
let client: TestClient

beforeAll(async () => {
  api = await startApi()
  client = await api.client('Fleet')
})

afterAll(() => api.stop())

const nameOf = async (position: string, language = 'en') => {
  const path = position.startsWith('?') ? `/addresses${position}` : `/addresses/${position}`
  const reply = await client.get(path, { 'accept-language': language })
  await expectDocumented(reply, 'GET', `/cc/v2.0${path}`)
  return reply
}

describe('GET /addresses/{position}', () => {
  it('names a position in the language of the reader', async () => {
    expect((await nameOf('48.137,11.575')).json()).toMatchObject({
      locality: 'Munich',
      state: 'Bavaria',
      country: 'Germany',
    })
    expect((await nameOf('48.137,11.575', 'de')).json()).toMatchObject({ locality: 'München', country: 'Deutschland' })
  })

  it('names several in their order, and no more than fit into an address', async () => {
    const reply = await nameOf('?positions=48.137,11.575;-40,-120')
    expect(reply.json()).toMatchObject({ addresses: [{ locality: 'Munich' }, { locality: '' }] })
    expect((await nameOf(`?positions=${Array(251).fill('1,1').join(';')}`)).statusCode).toBe(400)
    expect((await nameOf('?positions=48.1')).statusCode).toBe(400)
  })

  it('leaves empty what has no name: the middle of an ocean', async () => {
    expect((await nameOf('-40,-120')).json()).toEqual({ suburb: '', locality: '', state: '', country: '' })
  })

  it.each(['48.137', '91,0', '0,181', 'a,b', '48,137,11', '1e1,5', '48.1;11.5'])('refuses %s', async position => {
    const reply = await nameOf(encodeURIComponent(position))
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({ errorMessage: expect.stringMatching(/^position must be/) })
  })
})
