import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { imeiOf } from '../simulation/imei.ts'
import {
  Answers,
  ATTACKER_ADDRESS,
  type Attack,
  type AttackSize,
  countOpen,
  eventsAt,
  inLanes,
  madeUpImei,
  openConnection,
  type RawReply,
  sayImei,
  type Target,
  untilAborted,
  uploadEvents,
} from './attack.ts'

/** So that one machine can use addresses of many networks: the attacker is behind a trusted proxy. */
const BEHIND_PROXY = { TRUSTED_PROXIES: '127.0.0.0/8' }

const CLIENTS = { small: 4, full: 16 }
const MOST_AN_HOUR = 100

const guessedPasswords: Attack = {
  name: 'guessed-passwords',
  clause: 'guesses at a user',
  what: "A user's password is guessed from ever new networks; then the owner logs in from a known place.",
  environment: BEHIND_PROXY,
  async run(target, size, signal) {
    let [asked, tried] = [0, 0]
    await untilAborted(CLIENTS[size], signal, async () => {
      const guess = { email: target.attacker.email, password: `guess ${asked}` }
      const { status } = await logInAs(target, guess, networkOf(asked++))
      if (status === 400) tried++
      else if (status !== 429 && status !== 503) throw new Error(`a guess was answered ${status}`)
    })
    if (tried > MOST_AN_HOUR) throw new Error(`${tried} guesses were tried`)
    await logInFromKnownPlace(target, size)
    return `of ${asked} guesses ${tried} were tried; the owner got in`
  },
}

const NETWORKS = 230
const CROWD = { small: 100, full: 690 }

const loginsFromManyNetworks: Attack = {
  name: 'logins-from-many-networks',
  clause: 'crowds at the login',
  what: '230 networks try passwords of made-up users without a pause, while somebody logs in from a known place.',
  environment: BEHIND_PROXY,
  async run(target, size, signal) {
    const answers = new Answers()
    const crowd = untilAborted(CROWD[size], signal, async index => {
      const stranger = { email: `nobody${index}@example.com`, password: 'wrong' }
      // Once it has to end, it does not wait for answers any more.
      const reply = await logInAs(target, stranger, networkOf(index % NETWORKS), signal).catch(() => undefined)
      if (reply) answers.count(reply.status)
    })
    const waitsMs: number[] = []
    while (!signal.aborted) {
      const startedMs = performance.now()
      await logInFromKnownPlace(target, size)
      waitsMs.push(Math.round(performance.now() - startedMs))
    }
    await crowd
    return `the crowd was ${answers.text}; ${waitsMs.length} logins from a known place took ${Math.max(...waitsMs)} ms at most`
  },
}

const LOGINS = { small: 20, full: 300 }
const KEEP_ALIVE = Buffer.of(0xff)

const secondLogin: Attack = {
  name: 'second-login',
  clause: 'connections of one IMEI',
  what: 'Somebody logs in with the IMEI of a dongle that is connected, again and again, and stays.',
  async run({ teltonikaPort, imeiOfSecondTenant }, size, signal) {
    const opened: Socket[] = []
    let accepted = 0
    try {
      for (let count = 0; count < LOGINS[size] && !signal.aborted; count++) {
        const socket = await openConnection(teltonikaPort)
        opened.push(socket)
        if ((await sayImei(socket, imeiOfSecondTenant)) === 1) accepted++
        for (const each of opened) if (!each.destroyed) each.write(KEEP_ALIVE)
      }
      // The last ones stay for a moment.
      await sleep(500)
      return `${accepted} of ${opened.length} logins accepted, ${countOpen(opened)} of them open at the end`
    } finally {
      for (const socket of opened) socket.destroy()
    }
  },
}

const PROBES = { small: 300, full: 2000 }
const IMEI_PROBE_CLIENTS = 40
const MOST_ANSWERS = 20 + 10

const imeiProbe: Attack = {
  name: 'imei-probe',
  clause: 'strangers at the login',
  what: 'Somebody logs in with one IMEI after the other, to see which are known.',
  environment: { UNKNOWN_DEVICES: 'reject' },
  async run({ teltonikaPort, imeiOfSecondTenant }, size, signal) {
    const startedMs = performance.now()
    let answers = 0
    await inLanes(PROBES[size], IMEI_PROBE_CLIENTS, signal, async number => {
      const socket = await openConnection(teltonikaPort)
      if ((await sayImei(socket, madeUpImei(number))) !== undefined) answers++
      socket.destroy()
    })
    const tookMs = Math.round(performance.now() - startedMs)
    if (answers > MOST_ANSWERS) throw new Error(`${answers} IMEIs were found out to be unknown`)
    const socket = await openConnection(teltonikaPort)
    const known = await sayImei(socket, imeiOfSecondTenant)
    socket.destroy()
    // Where every address is one, the dongle had logged in from there before.
    if (known !== undefined && ATTACKER_ADDRESS !== undefined)
      throw new Error('and then a known one was found out to be known')
    return `${answers} of ${PROBES[size]} answered in ${tookMs} ms, then nothing, also not for a known one`
  },
}

const TRIES = { small: 20, full: 200 }
const TAC = '35999111'
const REFUSED = 'deviceId was not handed out to this account by the operator of the service.'

const claimedImei: Attack = {
  name: 'claimed-imei',
  clause: 'whose a dongle is',
  what: 'An administrator registers IMEIs that are free and those of others, and reports for free ones with a key.',
  async run(target, size, signal) {
    const { api, attacker, imeiOfSecondTenant } = target
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
    await reportWithKey(target, claimed)
    const socket = await openConnection(target.teltonikaPort)
    const answer = await sayImei(socket, claimed)
    socket.destroy()
    if (answer === 1) throw new Error('what a dongle sends itself would be for the one who claimed it')
    return `${tried} refused in the same words; the dongle that was reported for with a key was turned away itself`
  },
}

/** Also when the time of the attack is up: without it, the dongle would be let in as one that nobody knows. */
async function reportWithKey(target: Target, imei: string): Promise<void> {
  const events = eventsAt(imei, [Date.now() - 60_000], 'BATTERY_VOLTAGE', 12.5)
  new Answers().add(await uploadEvents(target, events, new AbortController().signal), [200])
}

/** The network from which every tenant has logged in before. */
const KNOWN_NETWORK = '127.0.0.1'

/** One of many networks, all of them those of documentation and tests (RFC 2544). */
const networkOf = (index: number): string => `198.18.${Math.floor(index / 250) % 250}.${(index % 250) + 1}`

/** On a slow machine somebody may be told to wait, and gets in afterwards. */
const MOST_WAITS = { small: 20, full: 0 }

/** @throws when the attacker's own user does not get in; in the small attack it may have to wait a few times */
async function logInFromKnownPlace(target: Target, size: AttackSize): Promise<void> {
  for (let waits = 0; ; waits++) {
    const { status, headers, body } = await logInAs(target, target.attacker, KNOWN_NETWORK)
    if (status === 200) return
    if (status !== 503 || waits >= MOST_WAITS[size])
      throw new Error(`a login from a known place was answered ${status} ${body}`)
    await sleep(Number(headers['retry-after'] ?? 1) * 1000)
  }
}

function logInAs(
  { api }: Target,
  { email, password }: { readonly email: string; readonly password: string },
  network: string,
  signal?: AbortSignal,
): Promise<RawReply> {
  return api.send({
    path: '/auth/token',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': network },
    body: new URLSearchParams({ grant_type: 'password', username: email, password }).toString(),
    ...(signal ? { signal } : {}),
  })
}

export const LOGIN_ATTACKS: readonly Attack[] = [
  loginsFromManyNetworks,
  guessedPasswords,
  secondLogin,
  imeiProbe,
  claimedImei,
]
