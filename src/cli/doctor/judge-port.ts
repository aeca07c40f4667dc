import { type Finding, findingsOf } from './finding.ts'

/** A port on which Tacho listens, or would. */
export interface PortFacts {
  /** What it is for. */
  readonly door: string
  readonly host: string
  readonly port: number
  /** The variables that say so. */
  readonly hostSetting: string
  readonly portSetting: string
  /** `free`, or the system's code of why it can not be listened on, such as EADDRINUSE. */
  readonly outcome: string
}

/** @param isRunning whether a Tacho with these settings answers */
export function judgePort(
  { door, host, port, hostSetting, portSetting, outcome }: PortFacts,
  isRunning: boolean,
): Finding {
  const { fine, broken } = findingsOf(`port ${port}`)
  const where = `Port ${port} on ${host} (${door})`
  if (outcome === 'free') return fine(`${where} is free.`)
  if (outcome === 'EADDRINUSE')
    return isRunning
      ? fine(`${where} is taken by the Tacho that runs.`)
      : broken(`${where} is in use by another program.`, `Stop that one, or choose another port with ${portSetting}.`)
  if (outcome === 'EACCES')
    return broken(
      `${where} is reserved: ports below 1024 need a right.`,
      `Grant it (\`AmbientCapabilities=CAP_NET_BIND_SERVICE\` of systemd), or choose another port with ${portSetting}.`,
    )
  if (outcome === 'EADDRNOTAVAIL' || outcome === 'ENOTFOUND')
    return broken(
      `${host} is no address of this machine (${door}).`,
      `Set ${hostSetting} to one, or to 0.0.0.0 for all.`,
    )
  return broken(`${where} can not be listened on (${outcome}).`, `See ${hostSetting} and ${portSetting}.`)
}
