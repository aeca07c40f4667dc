import { imeiOf } from '../simulation/imei.ts'
import { Answers } from './answers.ts'
import type { Attack, Doors } from './attack.ts'
import { openDonglePeer, sayImei } from './dongle-peer.ts'
import { uploadEvents } from './upload-events.ts'

const TRIES = { small: 20, full: 200 }
const TAC = '35999111'
const REFUSED = 'deviceId was not handed out to this account by the operator of the service.'

/** An administrator registers dongles of others, to learn where their cars are. */
export const claimedImei: Attack = {
  name: 'claimed-imei',
  clause: 'whose a dongle is',
  what: 'An administrator registers IMEIs that are free and those of others, and reports for free ones with a key.',
  async run(doors, size, signal) {
    const { api, attacker, imeiOfSecondTenant } = doors
    const imeis = [
      imeiOfSecondTenant,
      ...Array.from({ length: TRIES[size] }, (_, number) => String(imeiOf(TAC, number))),
    ]
    let tried = 0
    for (const imei of imeis) {
      if (signal.aborted) break
      const { status, body } = await api.send({
        path: '/admin/devices',
        method: 'POST',
        token: attacker.key,
        headers: { 'content-type': 'application/json' },
        body: `{"deviceId": ${imei}}`,
      })
      if (status === 429) break
      if (status !== 400 || !body.includes(REFUSED)) throw new Error(`${imei} was answered ${status} ${body}`)
      tried++
    }
    const claimed = String(imeiOf(TAC, TRIES.full))
    await reportWithKey(doors, claimed)
    const socket = await openDonglePeer(doors.teltonika)
    const answer = await sayImei(socket, claimed)
    socket.destroy()
    if (answer === 1) throw new Error('what a dongle sends itself would be for the one who claimed it')
    return `${tried} refused in the same words; the dongle that was reported for with a key was turned away itself`
  },
}

/** Also when the time of the attack is up: without it, the dongle would be let in as one that nobody knows. */
async function reportWithKey(doors: Doors, imei: string): Promise<void> {
  const recordedTimestamp = new Date(Date.now() - 60_000).toISOString()
  const events = [{ deviceId: Number(imei), recordedTimestamp, eventType: 'BATTERY_VOLTAGE', value: 12.5 }]
  new Answers().add(await uploadEvents(doors, events, new AbortController().signal), [200])
}
