import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { requiredEventType } from '../../catalogue/event-types.ts'
import type { Report } from '../shared/reports.ts'
import { readLocations, readQuery } from './read-report.ts'

const REQUESTS = '../shared/data/feeds/osmand_requests.json'

/** A request of this protocol's senders, and what it means by Traccar's own tests. */
interface Case {
  readonly method: string
  readonly path: string
  readonly body?: { readonly location: { readonly coords: Coordinates }; readonly device_id: string }
  readonly expected: { readonly check: string }
}

interface Coordinates {
  readonly latitude: number
  readonly longitude: number
}

const POSITION = requiredEventType('POSITION').id
const NOW_MS = Date.UTC(2026, 0, 1)

const parametersOf = ({ path }: Case) => new URLSearchParams(path.split('?')[1])

function read(request: Case): readonly Report[] {
  return request.body ? readLocations(request.body) : [readQuery(parametersOf(request), NOW_MS)]
}

/** Where the request says it was, read in another way than the gateway reads it. */
function placeIn(request: Case): readonly number[] {
  if (request.body) return [request.body.location.coords.latitude, request.body.location.coords.longitude]
  const parameters = parametersOf(request)
  const both = parameters.get('location')?.split(',') ?? [parameters.get('lat'), parameters.get('lon')]
  return both.map(Number)
}

function casesOf(checks: readonly string[]): [name: string, request: Case][] {
  const { cases } = JSON.parse(readFileSync(REQUESTS, 'utf8')) as { readonly cases: readonly Case[] }
  return cases
    .map((request, index): [string, Case] => [`${index + 1} ${request.path}`, request])
    .filter(([, { expected }]) => checks.includes(expected.check))
}

/** The recorded requests lie beside the project, not in it. */
describe.skipIf(!existsSync(REQUESTS))(`requests of other senders (skipped without ${REQUESTS})`, () => {
  const isThere = existsSync(REQUESTS)
  const located = isThere ? casesOf(['verifyPosition', 'verifyAttribute']) : []
  const accepted = isThere ? casesOf(['verifyNotNull']) : []
  const refused = isThere ? casesOf(['verifyNull']) : []

  test('none of them is left out here', () => {
    const { cases } = JSON.parse(readFileSync(REQUESTS, 'utf8')) as { readonly cases: readonly Case[] }
    expect(located.length + accepted.length + refused.length).toBe(cases.length)
    expect(located.length).toBeGreaterThan(10)
  })

  test.each(located)('one position: %s', (_name, request) => {
    const [lat, lon] = placeIn(request)
    expect(read(request).map(({ events }) => events.get(POSITION))).toEqual([{ lat, lon }])
  })

  test.each(accepted)('accepted without a position: %s', (_name, request) => {
    expect(read(request).map(({ events }) => events.get(POSITION))).toEqual([undefined])
  })

  test.each(refused)('refused: %s', (_name, request) => {
    expect(() => read(request)).toThrow(expect.objectContaining({ status: 400 }))
  })
})
