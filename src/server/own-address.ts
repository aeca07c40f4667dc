import type { Config } from '../config.ts'

/** Address at which this machine reaches a server of its own that listens on `host`. */
export function ownAddress(host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  if (host === '0.0.0.0' || host === '') return `${scheme}://127.0.0.1:${port}`
  if (host === '::') return `${scheme}://[::1]:${port}`
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The same of the API. */
export function ownApiAddress({ host, tlsCertFile }: Pick<Config, 'host' | 'tlsCertFile'>, port: number): string {
  return ownAddress(host, port, tlsCertFile === undefined ? 'http' : 'https')
}
