/** Where Teltonika dongles report over TCP. */
export interface TeltonikaAddress {
  readonly host: string
  readonly port: number
}

/** Reads `host:port`; an IPv6 address stands in brackets. @throws a text that says what is needed. */
export function readTeltonikaAddress(text: string): TeltonikaAddress {
  const url = URL.canParse(`tcp://${text}`) ? new URL(`tcp://${text}`) : undefined
  if (!url?.hostname || !url.port) throw new Error('An address such as 127.0.0.1:5027 is needed.')
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port) }
}

export function teltonikaAddressText({ host, port }: TeltonikaAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
