import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { openDonglePeer, sayImei } from './dongle-peer.ts'

const LOGINS = { small: 20, full: 300 }
const KEEP_ALIVE = Buffer.of(0xff)

/** Logs in with the IMEI of a connected dongle, again and again. */
export const secondLogin: Attack = {
  name: 'second-login',
  clause: 'connections of one IMEI',
  what: 'Somebody logs in with the IMEI of a dongle that is connected, again and again, and stays.',
  async run({ teltonika, imeiOfSecondTenant }, size, signal) {
    const opened: Socket[] = []
    let accepted = 0
    try {
      for (let count = 0; count < LOGINS[size] && !signal.aborted; count++) {
        const socket = await openDonglePeer(teltonika)
        opened.push(socket)
        if ((await sayImei(socket, imeiOfSecondTenant)) === 1) accepted++
        for (const each of opened) if (!each.destroyed) each.write(KEEP_ALIVE)
      }
      // The last ones stay for a moment.
      await sleep(500)
      const left = opened.filter(socket => !socket.destroyed && !socket.readableEnded).length
      return `${accepted} of ${opened.length} logins accepted, ${left} of them open at the end`
    } finally {
      for (const socket of opened) socket.destroy()
    }
  },
}
