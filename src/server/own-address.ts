import type { Config } from '../config.ts'

/** The address at which this machine reaches its own server that listens on `host`. */
export function ownAddress(host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  if (host === '0.0.0.0' || host === '') return `${scheme}://127.0.0.1:${port}`
  if (host === '::') return `${scheme}://[::1]:${port}`
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The same for the API. */
export function ownApiAddress({ host, tlsCertFile }: Pick<Config, 'host' | 'tlsCertFile'>, port: number): string {
  return ownAddress(host, port, tlsCertFile === undefined ? 'http' : 'https')
}
