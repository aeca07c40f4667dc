import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { EVENT_TYPES, requiredEventType } from '../src/catalogue/event-types.ts'
import { readDocument } from './document.ts'
import { query } from './embedded-folder.ts'
import { startService } from './service.ts'

const document = readDocument('docs/data-model.md')

/** The section of each table, by its name. */
const sections = new Map(
  document.text
    .split(/^#{2,3} /m)
    .flatMap(section => (/^`(\w+)`\n/.test(section) ? [[section.slice(1, section.indexOf('`', 1)), section]] : [])),
)

/** What a section says of a point, on one line. */
function point(section: string, name: string): string {
  const [, said = ''] = new RegExp(`^- ${name}: ([^]*?)(?=\\n- |\\n\\n|$(?![^]))`, 'm').exec(section) ?? []
  return said.replaceAll(/\s+/g, ' ').trim()
}

const filesOf = (said: string) => [...said.matchAll(/`(src\/[^`]+)`/g)].map(([, file = '']) => file)

const service = await startService()
afterAll(() => service.stop())

const select = (sql: string) => query(service.config.databaseUrl, sql)

test('it has a section for every table, and for no other', async () => {
  const tables = await select(`select relname from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by relname`)
  expect([...sections.keys()].sort()).toEqual(tables.map(({ relname }) => relname))
})

test('keys and indexes are those of the database', async () => {
  const keys = await select(`
    select c.relname, (select string_agg(a.attname, ', ' order by k.place)
      from unnest(indkey::integer[]) with ordinality as k (number, place)
      join pg_attribute a on a.attrelid = indrelid and a.attnum = k.number) as key
    from pg_index join pg_class c on c.oid = indrelid
    where indisprimary and not relispartition and relnamespace = 'public'::regnamespace order by 1`)
  const said = [...sections].map(([relname, section]) => ({ relname, key: point(section, 'Key').slice(1, -1) }))
  expect(said.sort((a, b) => (a.relname < b.relname ? -1 : 1))).toEqual(keys)

  const indexes = await select(`
    select i.relname from pg_index join pg_class i on i.oid = indexrelid join pg_class c on c.oid = indrelid
    where not indisprimary and not c.relispartition and c.relnamespace = 'public'::regnamespace order by 1`)
  const named = [...sections.values()].flatMap(section =>
    [...point(section, 'Indexes').matchAll(/`(\w+)`/g)].map(([, name]) => name),
  )
  expect(new Set(named)).toEqual(new Set(indexes.map(({ relname }) => relname)))
})

test('what is partitioned and what is distributed goes by the key', async () => {
  const partitioned = await select(`select relname from pg_class where relkind = 'p'`)
  expect([...sections].filter(([, section]) => point(section, 'Partition')).map(([relname]) => ({ relname }))).toEqual(
    partitioned,
  )
  const places = [...sections.values()].map(section => `${point(section, 'Key')} ${point(section, 'Citus')}`)
  const good = /^\((device_id\b.*\) distributed by `device_id`|.*\) (reference|on the coordinator))$/
  expect(places.filter(place => !good.test(place))).toEqual([])
})

test('a foreign key of a distributed table leads to a reference table', async () => {
  const foreign = await select(`
    select conrelid::regclass::text as from_table, confrelid::regclass::text as to_table from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace`)
  const placeOf = (table: unknown) => point(sections.get(String(table)) ?? '', 'Citus')
  const wrong = foreign.filter(({ from_table: from, to_table: to }) =>
    placeOf(from) === 'on the coordinator' ? placeOf(to).startsWith('distributed') : placeOf(to) !== 'reference',
  )
  expect(wrong).toEqual([])
})

test('the files that write a table are those it names', () => {
  const root = fileURLToPath(new URL('../src', import.meta.url))
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map(path => ({ path: `src/${path}`, text: readFileSync(join(root, path), 'utf8') }))
  for (const [table, section] of sections) {
    const writes = new RegExp(
      `(insert into|update|delete from|copySamples\\(transaction,|writeSuperseded\\(\\s*transaction,|(revise|leaveDeletedTo|emptyRows)\\((?:transaction|locked), sql.|(insert|upsert|update)Of\\()\\s*'?${table}\\b`,
    )
    const writers = sources.filter(({ text }) => writes.test(text)).map(({ path }) => path)
    expect({ table, writers: writers.sort() }).toEqual({ table, writers: filesOf(point(section, 'Written by')).sort() })
  }
})

test('the query for the mileage by day unpacks what was sent', async () => {
  const block = document.block('mileage-by-day')
  const texts = EVENT_TYPES.filter(({ dataType }) => dataType === 'STRING').map(({ id }) => id)
  expect(block).toContain(`array[${texts.join(', ')}]`)
  expect(EVENT_TYPES.filter(({ dataType }) => dataType === 'GEO').map(({ id }) => id)).toEqual([98])
  expect(requiredEventType('MILEAGE').id).toBe(85)

  const event = (recordedTimestamp: string, eventType: string, value: unknown) => ({
    deviceId: 356307042441013,
    recordedTimestamp,
    eventType,
    value,
  })
  const reply = await fetch(`${service.url}/ingest/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await service.key('Fleet')}`, 'content-type': 'application/json' },
    body: JSON.stringify([
      event('2026-01-12T08:00:00Z', 'MILEAGE', 48211.4),
      event('2026-01-12T18:00:00Z', 'MILEAGE', 48230.25),
      event('2026-01-12T18:00:00Z', 'IS_IGNITION_ON', true),
      event('2026-01-12T18:00:00Z', 'FUEL_TYPE', 'Diesel'),
      event('2026-01-12T18:00:00Z', 'POSITION', 'POINT(13.405 52.52)'),
      event('2026-01-12T18:00:00Z', 'VIN', 'WVWZZZ1JZ3W386752'),
      event('2026-01-13T08:00:00Z', 'POSITION', 'POINT(13.405 52.52)'),
      event('2026-01-14T00:00:00Z', 'MILEAGE', 48300),
      event('2026-01-14T00:00:00Z', 'VEHICLE_SPEED_MAX', 0.1),
      event('2026-01-19T00:00:00Z', 'MILEAGE', 50000),
    ]),
  })
  expect(await reply.json()).toEqual({ accepted: 10, duplicates: 0 })
  expect(await select(`select day::text, first_km, last_km, readings::integer from (${block}) q`)).toEqual([
    { day: '2026-01-12', first_km: 48211.4, last_km: 48230.25, readings: 2 },
    { day: '2026-01-14', first_km: 48300, last_km: 48300, readings: 1 },
  ])
})

test('every file that it names is there', () => {
  expect(document.missingFiles()).toEqual([])
})
