import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a geocoding server was asked. */
interface GeocoderRequest {
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
  readonly headers: IncomingMessage['headers']
  readonly atMs: number
}

export interface GeocoderReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A text is sent as it is, anything else as JSON. */
  readonly body: unknown
  readonly delayMs?: number
}

/** A geocoding server on loopback that answers what the test says. */
export interface GeocoderStandIn {
  readonly url: string
  readonly requests: readonly GeocoderRequest[]
  /** How requests are answered from now on. */
  answer: (request: GeocoderRequest) => GeocoderReply
  stop(): Promise<void>
}

export async function startGeocoderStandIn(answer: GeocoderStandIn['answer']): Promise<GeocoderStandIn> {
  const requests: GeocoderRequest[] = []
  const server = createServer((message, response) => {
    const url = new URL(message.url ?? '/', 'http://stand-in')
    const request = {
      path: url.pathname,
      parameters: Object.fromEntries(url.searchParams),
      headers: message.headers,
      atMs: performance.now(),
    }
    requests.push(request)
    const { status = 200, headers = {}, body, delayMs = 0 } = standIn.answer(request)
    setTimeout(() => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    }, delayMs)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const standIn: GeocoderStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return standIn
}

/** An address of Munich as Nominatim answers it (format jsonv2). */
export function nominatimReply({ parameters }: GeocoderRequest): GeocoderReply {
  const isGerman = parameters['accept-language'] === 'de'
  return {
    body: {
      place_id: 132_456_789,
      licence: 'Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright',
      osm_type: 'way',
      osm_id: 28_301_234,
      lat: '48.1275012',
      lon: '11.6055034',
      category: 'building',
      type: 'yes',
      place_rank: 30,
      importance: 0.00000999,
      addresstype: 'building',
      name: '',
      display_name: '145, Rosenheimer Straße, Au-Haidhausen, München, Bayern, 81671, Deutschland',
      address: {
        house_number: '145',
        road: 'Rosenheimer Straße',
        suburb: 'Au-Haidhausen',
        city: isGerman ? 'München' : 'Munich',
        state: isGerman ? 'Bayern' : 'Bavaria',
        'ISO3166-2-lvl4': 'DE-BY',
        postcode: '81671',
        country: isGerman ? 'Deutschland' : 'Germany',
        country_code: 'de',
      },
      boundingbox: ['48.1274', '48.1276', '11.6054', '11.6056'],
    },
  }
}

/** The same address as Photon answers it. */
export function photonReply({ parameters }: GeocoderRequest): GeocoderReply {
  const isGerman = parameters.lang === 'de'
  return {
    body: {
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          geometry: { type: 'Point', coordinates: [11.6055034, 48.1275012] },
          properties: {
            osm_type: 'W',
            osm_id: 28_301_234,
            osm_key: 'building',
            osm_value: 'yes',
            type: 'house',
            countrycode: 'DE',
            housenumber: '145',
            street: 'Rosenheimer Straße',
            district: 'Au-Haidhausen',
            city: isGerman ? 'München' : 'Munich',
            postcode: '81671',
            state: isGerman ? 'Bayern' : 'Bavaria',
            country: isGerman ? 'Deutschland' : 'Germany',
          },
        },
      ],
    },
  }
}

/** Nominatim for a position on the sea. */
export const UNABLE_TO_GEOCODE: GeocoderReply = { body: { error: 'Unable to geocode' } }
