import type { Incident } from '../../console/src/api/types.ts'

/** An incident for tests: by default, speeding that nobody has acknowledged. */
export function madeIncident(given: Partial<Incident> = {}): Incident {
  return {
    id: '1',
    ruleId: '7',
    ruleVersion: 1,
    kind: 'SPEEDING',
    title: 'Speeding',
    severity: 'warning',
    vehicleId: 'VINWVWZZZ1KZAW000001',
    deviceId: 356307042441013,
    tripId: null,
    areaId: null,
    detail: null,
    startTimestamp: '2026-01-15T08:00:00.000Z',
    endTimestamp: '2026-01-15T08:01:00.000Z',
    peak: { value: 148, unit: 'km/h', timestamp: '2026-01-15T08:00:30.000Z' },
    startPosition: { lat: 48.1275, lon: 11.6055 },
    endPosition: { lat: 48.1375, lon: 11.6055 },
    startAddress: null,
    endAddress: null,
    acknowledged: null,
    deleteTimestamp: null,
    modifyTimestamp: '2026-01-15T08:02:00.000000Z',
    ...given,
  }
}
