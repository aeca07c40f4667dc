import type { Connection, Database } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import type { Position } from '../../model/sample.ts'
import type { AddressTexts } from './texts.ts'
import { CELL_TEXTS } from './waiting.ts'

/** A place that a geocoder is to be asked about. */
export interface AddressQuestion extends Position {
  readonly id: number
  /** What is known already, from the gazetteer. */
  readonly texts: Partial<AddressTexts>
  /** How often it was asked, this time included. */
  readonly asked: number
  /** The answer for a place in the same cell: then no request is needed. */
  readonly cellTexts: AddressTexts | null
}

/** Longer than two requests with their pauses take; afterwards another node may ask, in case this one is gone. */
const CLAIM_MINUTES = 10

const MAY_BE_ASKED = sql`a.geocoded is null and a.found is not null and a.ask_after <= clock_timestamp()`

/** Whether some place may be asked about now. */
export const QUESTIONS_WAIT = sql`exists (select from addresses a where ${MAY_BE_ASKED})`

/** The same, asked. */
export async function hasQuestions(connection: Connection): Promise<boolean> {
  const [row] = await connection.rows<{ exists: boolean }>(sql`select ${QUESTIONS_WAIT} as exists`, {
    prepareAs: 'has-address-questions',
  })
  return row?.exists ?? false
}

/**
 * Takes the next place, so that no other node asks about it: those never asked first, the newest of them first, because
 * a user may be looking at it.
 */
export function claimQuestion(database: Database): Promise<AddressQuestion | undefined> {
  return writeTransaction(database, async transaction => {
    const [question] = await transaction.rows<AddressQuestion>(
      sql`
        update addresses a set
          asked = least(a.asked + 1, 1000),
          ask_after = clock_timestamp() + ${CLAIM_MINUTES} * interval '1 minute'
        where a.id = (
          select a.id from addresses a where ${MAY_BE_ASKED}
          order by a.ask_after, a.id desc limit 1 for no key update skip locked)
        returning a.id, a.lat, a.lon, a.texts, a.asked, ${CELL_TEXTS} as "cellTexts"`,
      { prepareAs: 'claim-address-question' },
    )
    return question
  })
}

/** Schedules another request for that place, after that many seconds. */
export async function postponeQuestion(database: Database, addressId: number, pauseS: number): Promise<void> {
  await writeTransaction(database, transaction =>
    transaction.rows(sql`
      update addresses set ask_after = clock_timestamp() + ${pauseS} * interval '1 second' where id = ${addressId}`),
  )
}

/**
 * Takes the next turn to send a request; all nodes share the turns.
 * @param everyMs the time from one turn to the next
 * @returns in how many milliseconds it is.
 */
export function takeTurn(database: Database, everyMs: number): Promise<number> {
  return writeTransaction(database, async transaction => {
    const [row] = await transaction.rows<{ wait_ms: number }>(
      sql`
        insert into sweeps as s (name, last_run, steady_since)
        values ('geocoder', clock_timestamp(), clock_timestamp())
        on conflict (name) do update set
          last_run = greatest(s.last_run + ${everyMs}::float8 * interval '1 millisecond', clock_timestamp())
        returning greatest(0, extract(epoch from last_run - clock_timestamp()) * 1000)::float8 as wait_ms`,
      { prepareAs: 'take-geocoder-turn' },
    )
    return row?.wait_ms ?? 0
  })
}

/** Keeps all nodes from sending requests for that long. */
export async function pauseTurns(database: Database, pauseMs: number): Promise<void> {
  await writeTransaction(database, transaction =>
    transaction.rows(sql`
      update sweeps set last_run = greatest(last_run, clock_timestamp() + ${pauseMs}::float8 * interval '1 millisecond')
      where name = 'geocoder'`),
  )
}
