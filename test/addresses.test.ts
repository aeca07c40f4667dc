import { afterEach, describe, expect, it } from 'vitest'
import { type GeocoderStandIn, photonReply, startGeocoderStandIn } from './geocoder-stand-in.ts'
import { startService, type TestService } from './service.ts'

const PATIENCE = { timeout: 100_000 }
const DEVICE = 356307042441013
const START_MS = Date.parse('2026-01-15T08:00:00Z')

interface Address {
  readonly road: string
  readonly suburb: string
  readonly locality: string
  readonly state: string
  readonly country: string
}
interface Trip {
  readonly tripStartAddress: Address | null
  readonly tripEndAddress: Address | null
}
/** A drive of ten minutes, from Kreuzberg to Potsdam faster than anybody may. */
function drive() {
  const samples = Array.from({ length: 61 }, (_, step) => ({
    recordedTimestamp: new Date(START_MS + step * 10_000).toISOString(),
    lat: 52.4986 + (step / 60) * (52.4 - 52.4986),
    lon: 13.4034 + (step / 60) * (13.06 - 13.4034),
  }))
  const event = (recordedTimestamp: string, eventType: string, value: unknown) => ({
    deviceId: DEVICE,
    recordedTimestamp,
    eventType,
    value,
  })
  return samples.flatMap(({ recordedTimestamp, lat, lon }, step) => [
    event(recordedTimestamp, 'IS_IGNITION_ON', step < 60),
    event(recordedTimestamp, 'POSITION', { lat, lon }),
  ])
}

describe('addresses of trips', () => {
  let service: TestService | undefined
  let standIn: GeocoderStandIn | undefined
  afterEach(async () => {
    await service?.stop()
    await standIn?.stop()
    standIn = undefined
  })

  async function start(environment: Record<string, string> = {}) {
    const running = await startService(environment)
    service = running
    const authorization = `Bearer ${await running.key('Fleet')}`
    return {
      send: (events: unknown) =>
        fetch(`${running.url}/ingest/events`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify(events),
        }),
      tripIn: async (language: string) => {
        const headers = { authorization, 'accept-language': language }
        const { trips } = (await (await fetch(`${running.baseUrl}/trips`, { headers })).json()) as { trips: Trip[] }
        return trips[0]
      },
    }
  }

  it('are there soon after a drive, in the language of the reader, without asking anybody', async () => {
    const { send, tripIn } = await start()
    expect((await send(drive())).status).toBe(200)
    await expect.poll(async () => (await tripIn('en'))?.tripEndAddress?.locality, PATIENCE).toBe('Potsdam')
    const kreuzberg = { road: '', suburb: 'Kreuzberg', locality: 'Berlin', state: 'Berlin' }
    const potsdam = { road: '', suburb: '', locality: 'Potsdam', state: 'Brandenburg' }
    expect(await tripIn('en')).toMatchObject({
      tripStartAddress: { ...kreuzberg, country: 'Germany' },
      tripEndAddress: { ...potsdam, country: 'Germany' },
    })
    expect(await tripIn('de')).toMatchObject({
      tripStartAddress: { ...kreuzberg, country: 'Deutschland' },
      tripEndAddress: { ...potsdam, country: 'Deutschland' },
    })
  })

  it('get a road from the geocoder, and neither uploads nor other addresses wait for it', async () => {
    standIn = await startGeocoderStandIn(request => ({ ...photonReply(request), delayMs: 60_000 }))
    const geocoder = { GEOCODER_URL: standIn.url, GEOCODER_KIND: 'photon', GEOCODER_BUDGET: '60000' }
    const { send, tripIn } = await start(geocoder)
    await send(drive())
    await expect.poll(() => standIn?.requests.length, PATIENCE).toBe(1)
    // The server holds its answer back for longer than this test takes.
    expect((await send(drive())).status).toBe(200)
    await expect.poll(async () => (await tripIn('de'))?.tripEndAddress?.locality, PATIENCE).toBe('Potsdam')
    expect((await tripIn('de'))?.tripEndAddress?.road).toBe('')
    await service?.stop()
    standIn.answer = photonReply
    const again = await start(geocoder)
    await again.send(drive())
    const end = async () => (await again.tripIn('de'))?.tripEndAddress
    await expect.poll(end, PATIENCE).toMatchObject({ road: 'Rosenheimer Straße', locality: 'München' })
  })
})
