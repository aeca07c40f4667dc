import { setTimeout as sleep } from 'node:timers/promises'
import { takingTurns } from '../../src/lib/semaphore.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { loginPacket, writeTcpFrame } from '../teltonika-dongle/write-frame.ts'
import { DongleConnection } from './dongle-connection.ts'
import type { TeltonikaAddress } from './teltonika-address.ts'
import { pauseMs, type Uplink, type UplinkOptions, type Uplinks } from './uplink.ts'

/** So that ten thousand dongles do not connect at the same instant. */
const LOGINS_AT_ONCE = 50
/** A dongle gives up after being refused this often in a row. */
const REFUSALS = 4

const LOGIN_ACCEPTED = 1

class LoginRefused extends Error {}

/** Teltonika's protocol over TCP: a connection a dongle, one packet at a time, and the next when its records are acknowledged. */
export function teltonikaUplinks({ host, port }: TeltonikaAddress, { signal, onTrouble }: UplinkOptions): Uplinks {
  const loginInTurn = takingTurns(LOGINS_AT_ONCE)
  const open = new Set<DongleConnection>()
  let isCut = false

  async function logIn(deviceId: DeviceId): Promise<DongleConnection> {
    if (isCut) throw new Error('the sending was stopped')
    const connection = await DongleConnection.open(host, port)
    open.add(connection)
    try {
      if (isCut) throw new Error('the sending was stopped')
      const [answer] = await connection.ask(loginPacket(String(deviceId)), 1)
      if (answer !== LOGIN_ACCEPTED) throw new LoginRefused('the service refused a dongle')
    } catch (error) {
      open.delete(connection)
      connection.close()
      throw error
    }
    return connection
  }

  function uplinkOf(deviceId: DeviceId): Uplink {
    let connection: DongleConnection | undefined
    const drop = () => {
      if (!connection) return
      open.delete(connection)
      connection.close()
      connection = undefined
    }
    /** @throws when they are not acknowledged, all of them. */
    const sendOnce = async (samples: readonly Sample[]) => {
      if (!connection?.isOpen) {
        drop()
        connection = await loginInTurn(() => logIn(deviceId))
      }
      const acknowledged = (await connection.ask(writeTcpFrame(samples), 4)).readUInt32BE()
      if (acknowledged !== samples.length)
        throw new Error(`the service acknowledged ${acknowledged} of ${samples.length} records`)
    }
    return {
      async send(samples) {
        for (let failures = 0, refusals = 0; ; failures++) {
          try {
            await sendOnce(samples)
            return samples
          } catch (error) {
            drop()
            if (signal.aborted || isCut) throw error
            refusals = error instanceof LoginRefused ? refusals + 1 : 0
            if (refusals === REFUSALS) return undefined
            onTrouble((error as Error).message)
            await sleep(pauseMs(failures), undefined, { signal })
          }
        }
      },
    }
  }

  return {
    of: uplinkOf,
    async cut() {
      isCut = true
      for (const connection of open) connection.close()
      open.clear()
    },
  }
}
