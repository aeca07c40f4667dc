import { EVENT_TYPES, type EventType } from '../../../catalogue/event-types.ts'
import { listOf, type Statement, sql } from '../../../db/sql.ts'
import { numbersPerValue } from '../../../model/sample-layout.ts'

/** Where some types stand in the arrays of a row of `latest_values`, and what stands there. */
export interface ChosenValues {
  /** What of the row is read: the columns of a `LatestRow`, all with a place for every chosen type, NULL where it has none. */
  readonly columns: Statement
  /** Follows `latest_values l`. */
  readonly join: Statement
}

/**
 * Whether choosing costs less than reading rows as a whole: PostgreSQL takes some milliseconds to plan it, and each type
 * is looked for in each row. Of 60 types, nine are as dear as all for 60 rows, and a quarter for 10,000.
 */
export function isWorthChoosing(types: readonly EventType[], rowCount: number): boolean {
  return types.length <= 24 && rowCount >= 100
}

/**
 * Chooses types of latest values where they are stored: most of the work of a long list is writing and reading arrays
 * as texts. `types` of a row ascend, so a type is found by halving (`width_bucket`), and how many numbers and texts stand
 * before its own follows from the STRING and GEO types among those below it. PostgreSQL keeps these places for rows of
 * the same types (`offset 0`: they are worked out as a whole, before the values are read).
 * @param types ascending by id, at least one
 */
export function chosenValues(types: readonly EventType[]): ChosenValues {
  const withNumbers = types.filter(type => numbersPerValue(type) > 0)
  const withTexts = types.filter(type => numbersPerValue(type) === 0)
  const greatestId = types.at(-1)?.id ?? 0
  const numberPlaces = withNumbers.flatMap(type => {
    const last = sql`${placeOf(type)} - width_bucket(${idOf(type)}, present.texts) + width_bucket(${idOf(type)}, present.points)`
    return numbersPerValue(type) === 2
      ? [whenPresent(type, sql`${last} - 1`), whenPresent(type, last)]
      : [whenPresent(type, last)]
  })
  const textPlaces = withTexts.map(type => whenPresent(type, sql`width_bucket(${idOf(type)}, present.texts)`))
  return {
    columns: sql`
      l.device_id as latest_device, ${`{${types.map(type => type.id).join(',')}}`}::text as types,
      ${items(sql`l.times`, sql`chosen.places`, types.length)}::text as times,
      ${items(sql`l.numbers`, sql`chosen.numbers`, numberPlaces.length)}::text as numbers,
      ${items(sql`l.texts`, sql`chosen.texts`, textPlaces.length)}::text as texts`,
    join: sql`
      cross join lateral (
        select array[${listOf(types.map(type => whenPresent(type, placeOf(type))))}]::integer[] as places,
          array[${listOf(numberPlaces)}]::integer[] as numbers, array[${listOf(textPlaces)}]::integer[] as texts
        from (select ${presentOf(0, greatestId)} as texts, ${presentOf(2, greatestId)} as points offset 0) present
        offset 0) chosen`,
  }
}

function items(values: Statement, places: Statement, count: number): Statement {
  if (count === 0) return sql`'{}'`
  return sql`array[${listOf(Array.from({ length: count }, (_, index) => sql`${values}[${places}[${index + 1}::integer]]`))}]`
}

/** The types of a row whose values take so many numbers, ascending; only those up to an id. */
function presentOf(numbers: 0 | 2, greatestId: number): Statement {
  const types = ASCENDING.filter(type => numbersPerValue(type) === numbers && type.id <= greatestId)
  return sql`array_remove(array[${listOf(types.map(type => whenPresent(type, idOf(type))))}]::smallint[], null)`
}

const ASCENDING = [...EVENT_TYPES].sort((a, b) => a.id - b.id)

function whenPresent(type: EventType, value: Statement): Statement {
  return sql`case when l.types[${placeOf(type)}] = ${idOf(type)} then ${value} end`
}

/** How many types of the row are not greater: where it stands, if it is there. */
function placeOf(type: EventType): Statement {
  return sql`width_bucket(${idOf(type)}, l.types)`
}

function idOf(type: EventType): Statement {
  return sql`${type.id}::smallint`
}
