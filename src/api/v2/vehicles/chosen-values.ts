import { EVENT_TYPES, type EventType } from '../../../catalogue/event-types.ts'
import { listOf, type Statement, sql } from '../../../db/sql.ts'
import { numbersPerValue } from '../../../model/sample.ts'

/** The positions of some types in the arrays of a row of `latest_values`, and their values. */
interface ChosenValues {
  /** The columns of a `LatestRow`, each with an element for every chosen type; NULL where the row does not have it. */
  readonly columns: Statement
  /** SQL that follows `latest_values l`. */
  readonly join: Statement
}

/**
 * Whether selecting types costs less than reading whole rows: PostgreSQL takes some milliseconds to plan it and searches
 * each type in each row. Of 60 types, nine cost as much as all of them for 60 rows, and a quarter as much for 10,000.
 */
export function isWorthChoosing(types: readonly EventType[], rowCount: number): boolean {
  return types.length <= 24 && rowCount >= 100
}

/**
 * Selects types of latest values in the database: most of the work of a long list is formatting and parsing arrays
 * as text. `types` of a row ascend, so a type is found by binary search (`width_bucket`), and the index of its numbers and
 * texts follows from the STRING and GEO types below it. PostgreSQL reuses these positions for rows with
 * the same types (`offset 0`: they are computed as a whole, before the values are read).
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

/** The types of a row whose values take that many numbers, ascending; only those up to an id. */
function presentOf(numbers: 0 | 2, greatestId: number): Statement {
  const types = ASCENDING.filter(type => numbersPerValue(type) === numbers && type.id <= greatestId)
  return sql`array_remove(array[${listOf(types.map(type => whenPresent(type, idOf(type))))}]::smallint[], null)`
}

const ASCENDING = [...EVENT_TYPES].sort((a, b) => a.id - b.id)

function whenPresent(type: EventType, value: Statement): Statement {
  return sql`case when l.types[${placeOf(type)}] = ${idOf(type)} then ${value} end`
}

/** How many types of the row are not greater: its index, if the row has it. */
function placeOf(type: EventType): Statement {
  return sql`width_bucket(${idOf(type)}, l.types)`
}

function idOf(type: EventType): Statement {
  return sql`${type.id}::smallint`
}
