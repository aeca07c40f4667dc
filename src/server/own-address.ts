import type { Config } from '../config.ts'

/** The address, `host:port`, at which this machine reaches its own server that listens on `host`. */
export function ownHostPort(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '') return `127.0.0.1:${port}`
  if (host === '::') return `[::1]:${port}`
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The same as a URL. */
export function ownAddress(host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  return `${scheme}://${ownHostPort(host, port)}`
}

/** The same for the API. */
export function ownApiAddress({ host, tlsCertFile }: Pick<Config, 'host' | 'tlsCertFile'>, port: number): string {
  return ownAddress(host, port, tlsCertFile === undefined ? 'http' : 'https')
}
