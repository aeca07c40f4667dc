import fc from 'fast-check'
import { anyCharacter } from './any-character.ts'

/** What clients, scanners and broken programs send: values that nearly fit, and values that fit nothing. */
export const garbageText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...Array.from('0123456789-+:.,TZ eE/%"\'\\{}[]()\0\t\n;&=')), maxLength: 40 }),
  fc.constantFrom('', ' ', ',', ',,', '0', '-0', '-1', '1', '17', '1e9', '0x11', 'true', 'null', 'undefined', 'NaN'),
  fc.constantFrom('9007199254740991', '9007199254740993', '9223372036854775808', '1'.repeat(400), '-Infinity'),
  fc.constantFrom('2020-01-01', '0001-01-01', '9999-12-31T23:59:59.999999Z', '2020-02-22T14:37:07+14:00', '2020-02-30'),
  fc.constantFrom('infinity', '-infinity', 'now', 'epoch', 'today', '10000-01-01', '-0001-01-01T00:00:00Z'),
  fc.constantFrom('ALL', 'FLEET', 'WEEK', 'MIN,MAX', 'DRIVEN_DISTANCE', 'MILEAGE,POSITION', 'IMEI_17', 'IMEI_', 'VIN'),
  fc.constantFrom('Europe/Berlin', 'Etc/GMT+12', 'Mars/Base', 'UTC+99:99', 'posix/UTC', 'EST5EDT', '../../etc/passwd'),
  fc.constantFrom(
    "'; drop table samples; --",
    '$1',
    '%s%n',
    '${7*7}',
    '<script>',
    '__proto__',
    'constructor',
    'toString',
  ),
  fc.constantFrom('\0', 'a\0b', '\ud800', 'a\udfffb', '\u202e', '\ufeff', '😀'.repeat(30), 'ß'.repeat(300)),
  fc.date({ noInvalidDate: true }).map(date => date.toISOString()),
  fc.double().map(String),
  fc.json({ maxDepth: 2 }).map(text => Buffer.from(text).toString('base64url')),
)

/** Any JSON value, and those that often break programs. */
export const garbageJson = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  garbageText,
  fc.constantFrom(0, -0, -1, 1.5, 1e308, 5e-324, 2 ** 53, -(2 ** 53), 17, null, true, false, [], {}, [[]], [null]),
  fc.constantFrom(
    { lat: 91, lon: 0 },
    { lat: 'x' },
    { lat: 1 },
    { lat: 1, lon: 1, alt: 1 },
    'POINT(1 2 3)',
    'POINT(. .)',
  ),
)

/** JSON that is only text: numbers no double can hold, repeated and prototype keys, deep nesting, half of it missing. */
export const garbageJsonText = fc.oneof(
  garbageJson.map(value => JSON.stringify(value)),
  fc.json().map(text => text.slice(0, text.length / 2)),
  fc.constantFrom('', ' ', 'null', '"', '{', '[', '{"a":1,}', '[1,]', "{'a':1}", 'NaN', '01', '1e999', '-', '\ufeff{}'),
  fc.constantFrom('{"__proto__":{"numberPlate":"X"}}', '{"constructor":{"prototype":{"x":1}}}', '{"a":1,"a":2}'),
  fc.constantFrom('{"numberPlate":"\\ud800"}', '"\\u0000"', '{"vin":"\\u0000"}', '1e400', '[1e400]', '\0'),
  fc.integer({ min: 1, max: 20_000 }).map(depth => '['.repeat(depth)),
  fc.integer({ min: 1, max: 20_000 }).map(depth => '['.repeat(depth) + ']'.repeat(depth)),
  fc.integer({ min: 1, max: 5000 }).map(depth => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
)

export const garbageBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
  garbageJsonText.map(text => Buffer.from(text)),
  garbageJsonText.map(text => Buffer.from(text, 'utf16le')),
  garbageText.map(text => Buffer.from(text, 'latin1')),
)

/** A header value: any byte but those that end a line. */
export const garbageHeader = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map(bytes => Buffer.from(bytes.filter(byte => byte !== 10 && byte !== 13))),
  garbageText.map(text => Buffer.from(text.replace(/[\r\n]/g, ' '))),
  fc
    .constantFrom('', ',', ';', ';;q=,,=', '*;q=2', 'de;q=x', 'x'.repeat(5000), '"', 'W/', 'W/"', '*, *')
    .map(text => Buffer.from(text)),
  fc
    .constantFrom('Bearer', 'Bearer  ', 'Bearer a b', `Bearer ${'A'.repeat(43)}`, 'Basic Og==', 'Bearer =')
    .map(text => Buffer.from(text)),
  fc
    .constantFrom(
      'application/json',
      'application/json; charset=utf-16',
      'text/plain',
      'multipart/form-data',
      'a/b/c',
      '/',
    )
    .map(text => Buffer.from(text)),
)
