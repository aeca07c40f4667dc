/** What may report to Tacho. */
export const WAYS = ['teltonika', 'mqtt', 'phone', 'traccar', 'http'] as const
export type Way = (typeof WAYS)[number]

export type SetupName = 'server' | 'port' | 'protocol' | 'codec' | 'topic' | 'quality' | 'url' | 'lines' | 'request'

/** The port of every service whose operator chose no other (`TELTONIKA_PORT`). */
const USUAL_TELTONIKA_PORT = 5027

/** Stands for a key with the permission `ingest`. */
const KEY = 'KEY'

/**
 * How a dongle is told where to report; empty where this server takes nothing of that kind.
 *
 * @param origin of the console, such as `https://fleet.example.com`
 * @param imei what the person entered; empty while it is not known
 * @param teltonikaPort null when the server does not listen for Teltonika, undefined when it does not say where
 */
export function setupOf(
  way: Way,
  origin: string,
  imei: string,
  teltonikaPort: number | null | undefined,
): readonly { readonly name: SetupName; readonly value: string }[] {
  const id = imei === '' ? '356307042441013' : imei
  switch (way) {
    case 'teltonika':
      if (teltonikaPort === null) return []
      return [
        { name: 'server', value: new URL(origin).hostname },
        { name: 'port', value: String(teltonikaPort ?? USUAL_TELTONIKA_PORT) },
        { name: 'protocol', value: 'TCP' },
        { name: 'codec', value: 'Codec 8 Extended' },
      ]
    case 'mqtt':
      return [
        { name: 'topic', value: `tacho/${id}/events` },
        { name: 'quality', value: 'QoS 1' },
      ]
    case 'phone':
      return [{ name: 'url', value: `${origin}/ingest/osmand?key=${KEY}` }]
    case 'traccar':
      return [
        {
          name: 'lines',
          value: [
            "<entry key='forward.enable'>true</entry>",
            "<entry key='forward.type'>json</entry>",
            `<entry key='forward.url'>${origin}/ingest/traccar</entry>`,
            `<entry key='forward.header'>Authorization: Bearer ${KEY}</entry>`,
          ].join('\n'),
        },
      ]
    case 'http':
      return [
        {
          name: 'request',
          value: [
            `curl ${origin}/ingest/events -H 'Authorization: Bearer ${KEY}' \\`,
            `  -H 'Content-Type: application/json' -d '[{"deviceId": ${id},`,
            '  "recordedTimestamp": "2026-01-15T08:00:00Z", "eventType": "MILEAGE", "value": 48211.4}]\'',
          ].join('\n'),
        },
      ]
  }
}

/** Whether what is set up so needs a key. */
export function needsKey(way: Way): boolean {
  return way === 'phone' || way === 'traccar' || way === 'http'
}

/** Whether only programs on this machine can reach an address. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}
