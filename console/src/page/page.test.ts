import { expect, test } from 'vitest'
import { ApiError } from '../api/api-error.ts'
import { reasonOf } from '../page/page.tsx'

const texts = {
  unreachable: 'nicht erreichbar',
  loggedOut: 'nicht angemeldet',
  forbidden: 'keine Berechtigung',
  tooMany: 'zu viele Anfragen',
}

test.each([
  [0, 'nicht erreichbar'],
  [503, 'nicht erreichbar'],
  [401, 'nicht angemeldet'],
  [403, 'keine Berechtigung'],
  [429, 'zu viele Anfragen'],
])('status %i is told in the language of the person', (status, reason) => {
  expect(reasonOf(new ApiError(status, 'in English'), texts)).toBe(reason)
})

test('what the service objects to is told in its own words', () => {
  expect(reasonOf(new ApiError(400, 'vin is not valid.'), texts)).toBe('vin is not valid.')
  expect(reasonOf(new Error('broken'), texts)).toBe('broken')
})
