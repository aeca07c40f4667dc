import type { Config } from '../../config.ts'
import { isLoopback } from '../../lib/networks.ts'
import { SETTINGS } from '../../settings.ts'
import { type Finding, findingsOf } from './finding.ts'

const KNOWN: ReadonlySet<string> = new Set(Object.values(SETTINGS).map(({ name }) => name))

/** What several settings begin with: a variable that begins so and is none of them is probably a mistake. */
const FAMILIES = (() => {
  const counts = new Map<string, number>()
  for (const name of KNOWN) {
    const [family = ''] = name.split('_')
    counts.set(family, (counts.get(family) ?? 0) + 1)
  }
  return new Set([...counts].filter(([family, count]) => count > 1 || family === 'TACHO').map(([family]) => family))
})()

interface Names {
  readonly environment: readonly string[]
  /** In the file `.env`, where every one is meant for Tacho. */
  readonly inFile: readonly string[]
}

/** @param names of all variables that are set */
export function judgeNames({ environment, inFile }: Names): Finding {
  const { fine, look } = findingsOf('settings')
  const unknown = new Set([
    ...inFile.filter(name => !KNOWN.has(name)),
    ...environment.filter(name => !KNOWN.has(name) && name.includes('_') && FAMILIES.has(name.split('_')[0] ?? '')),
  ])
  if (unknown.size === 0) return fine('Every setting has a name and a value that Tacho knows.')
  return look(
    `${[...unknown].join(', ')}: Tacho has no such ${unknown.size === 1 ? 'setting' : 'settings'}.`,
    'Compare with .env.example, which lists every setting.',
  )
}

/** Doors that are open to more than this machine, and what is then missing. */
export function judgeDoors(config: Config): Finding[] {
  const { fine, look } = findingsOf('doors')
  const findings: Finding[] = []
  if (!isLoopback(config.host) && config.tlsCertFile === undefined && config.trustedProxies.length === 0)
    findings.push(
      look(
        `The API and the console are open to the network at ${config.host} without TLS: passwords and tokens can be read on the way.`,
        'Set TLS_CERT and TLS_KEY; or put a proxy with TLS before it and name that in TRUSTED_PROXIES.',
      ),
    )
  if (!isLoopback(config.intakeHost))
    findings.push(
      look(
        `The intake is open at ${config.intakeHost}, unencrypted.`,
        'Keep that inside a network of your own, or leave INTAKE_HOST at 127.0.0.1.',
      ),
    )
  if (config.teltonikaPort !== undefined && !isLoopback(config.teltonikaHost) && config.unknownDevices === 'accept')
    findings.push(
      look(
        'Dongles report from the network, and one that nobody added joins by itself.',
        'Set UNKNOWN_DEVICES=reject, and add dongles with `tacho device add` or a list.',
      ),
    )
  return findings.length > 0 ? findings : [fine('No door is open further than it should be.')]
}

const DAY_MS = 24 * 3600 * 1000
const RENEW_DAYS = 14

/** @param untilMs when the certificate ends, or a sentence that says why it can not be used */
export function judgeCertificate(setting: string, untilMs: number | string, nowMs: number): Finding {
  const { fine, look, broken } = findingsOf('certificate')
  if (typeof untilMs === 'string') return broken(untilMs, `See ${setting}.`)
  const days = Math.floor((untilMs - nowMs) / DAY_MS)
  const renew = 'Renew it; a renewed file is taken without a restart.'
  if (days < 0) return broken(`The certificate of ${setting} has ended ${-days} days ago.`, renew)
  if (days < RENEW_DAYS) return look(`The certificate of ${setting} ends in ${days} days.`, renew)
  return fine(`The certificate of ${setting} is valid for ${days} days.`)
}
