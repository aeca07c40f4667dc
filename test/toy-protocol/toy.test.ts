import { describe, expect, it } from 'vitest'
import { testBinaryProtocol, testFraming } from '../binary-suite/suite.ts'
import { newImei, sharedDatabase, World } from '../binary-suite/world.ts'
import { IS_DEEP } from '../deep.ts'
import { eventually } from '../eventually.ts'
import { TOY_CLIENT } from './client.ts'

// What is the same around every protocol, the suite tries with that of Teltonika.
if (IS_DEEP) testBinaryProtocol(TOY_CLIENT)
else testFraming(TOY_CLIENT)

describe('a protocol that answers keep-alives', () => {
  const world = new World(TOY_CLIENT, sharedDatabase(), { limits: { answerBytes: 1024 } })

  it('answers none before the login', async () => {
    const dongle = await world.connect()
    const deviceId = newImei()
    dongle.write(Buffer.concat([TOY_CLIENT.keepAlive.bytes, world.loginOf(deviceId)]))
    const accepted = TOY_CLIENT.login.accepted(String(deviceId))
    expect(await dongle.answer(accepted.length)).toEqual(accepted)
    await dongle.close()
  })

  it('keeps no answers for ever that nobody takes', async () => {
    const dongle = await world.logIn(newImei())
    dongle.socket.pause()
    const many = Buffer.concat(Array.from({ length: 2000 }, () => TOY_CLIENT.keepAlive.bytes))
    await eventually(async () => {
      if (!dongle.socket.destroyed && dongle.socket.writableLength === 0) dongle.write(many)
      expect(await world.metric('closed_connections_total', { reason: 'answers not taken' })).toBe(1)
    })
    await dongle.close()
  })
})
