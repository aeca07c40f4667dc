import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/request.ts'
import { language } from '../language/language.ts'

/** About 100 m: a car that drives is not asked about with each of its positions. */
const DIGITS = 3

/** What a position is called, as far as the service knows without asking anybody: suburb, town, country. */
export function placeNameQuery(latitude: number, longitude: number) {
  const position = `${latitude.toFixed(DIGITS)},${longitude.toFixed(DIGITS)}`
  return queryOptions({
    queryKey: ['place-name', position, language()],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => ask('GET /cc/v2.0/addresses/{position}', { path: { position }, signal }),
  })
}
