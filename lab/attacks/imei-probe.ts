import type { Attack } from './attack.ts'
import { inLanes, madeUpImei, openDonglePeer, sayImei } from './dongle-peer.ts'
import { ATTACKER_ADDRESS } from './raw-request.ts'

const PROBES = { small: 300, full: 2000 }
const CLIENTS = 40
/** How many answers are allowed, and some more for the time that it takes. */
const MOST_ANSWERS = 20 + 10

/** Logs in with IMEIs to find out which are known. */
export const imeiProbe: Attack = {
  name: 'imei-probe',
  clause: 'strangers at the login',
  what: 'Somebody logs in with one IMEI after the other, to see which are known.',
  environment: { UNKNOWN_DEVICES: 'reject' },
  async run({ teltonika, imeiOfSecondTenant }, size, signal) {
    const startedMs = performance.now()
    let answers = 0
    await inLanes(PROBES[size], CLIENTS, signal, async number => {
      const socket = await openDonglePeer(teltonika)
      if ((await sayImei(socket, madeUpImei(number))) !== undefined) answers++
      socket.destroy()
    })
    const tookMs = Math.round(performance.now() - startedMs)
    if (answers > MOST_ANSWERS) throw new Error(`${answers} IMEIs were found out to be unknown`)
    const socket = await openDonglePeer(teltonika)
    const known = await sayImei(socket, imeiOfSecondTenant)
    socket.destroy()
    // Where every address is one, the dongle had logged in from there before.
    if (known !== undefined && ATTACKER_ADDRESS !== undefined)
      throw new Error('and then a known one was found out to be known')
    return `${answers} of ${PROBES[size]} answered in ${tookMs} ms, then nothing, also not for a known one`
  },
}
