import { type Answer, type GatewayAdapter, testGateway } from '../../../test/gateway-suite.ts'
import { eventTypeById } from '../../catalogue/event-types.ts'
import { eventsOf, type Position, type Sample } from '../../model/sample.ts'

/** A sample as Traccar forwards what its tracker reported. */
function forwarded(sample: Sample) {
  const values = new Map([...eventsOf(sample)].map(([id, value]) => [eventTypeById(id).name, value]))
  const place = values.get('POSITION') as Position | undefined
  const time = new Date(sample.timeMs).toISOString().replace('Z', '+00:00')
  const mileageKm = values.get('MILEAGE')
  return {
    position: {
      deviceTime: time,
      fixTime: time,
      valid: place !== undefined,
      latitude: place?.lat ?? 0,
      longitude: place?.lon ?? 0,
      altitude: 0,
      speed: Number(values.get('GPS_SPEED') ?? 0) / 1.852,
      attributes: {
        ignition: values.get('IS_IGNITION_ON'),
        power: values.get('BATTERY_VOLTAGE'),
        obdOdometer: typeof mileageKm === 'number' ? Math.round(mileageKm * 1000) : undefined,
      },
    },
    device: { uniqueId: String(sample.deviceId) },
  }
}

const adapter: GatewayAdapter = {
  name: 'of Traccar',
  misdated: 'kept apart',
  stranger: 'refused',
  // A supply of 12.5 V says that the tracker is plugged in.
  adds: ['IS_DONGLE_PLUGGED_IN'],
  async connect(service) {
    const key = await service.key('fleet')
    return {
      async send(samples, withinMs): Promise<Answer> {
        try {
          const { status } = await fetch(`${service.url}/ingest/traccar`, {
            method: 'POST',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            body: JSON.stringify(samples.map(forwarded)),
            signal: AbortSignal.timeout(withinMs),
          })
          if (status === 200) return 'acknowledged'
          return status < 500 ? 'refused' : 'unanswered'
        } catch {
          return 'unanswered'
        }
      },
      async close() {},
    }
  },
}

testGateway(adapter)
