import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { CSV_BEGIN, csvOf, type ExportCell } from './files.ts'
import { xlsxOf } from './xlsx.ts'

const SEPARATORS = { en: ',', de: ';' } as const

describe('CSV', () => {
  it('separates, quotes and ends lines as RFC 4180 says', () => {
    expect(
      csvOf(
        [
          ['Car', 'km'],
          ['B-MW "7", grey', 12.5],
          ['two\nlines', undefined],
        ],
        'en',
      ),
    ).toBe('Car,km\r\n"B-MW ""7"", grey",12.5\r\n"two\nlines",\r\n')
  })

  it('in German has semicolons and decimal commas, which are no reason to quote there', () => {
    expect(csvOf([['a;b', 'c, d', 12.5, 1000]], 'de')).toBe('"a;b";c, d;12,5;1000\r\n')
  })

  it('begins with a byte order mark', () => {
    expect([...new TextEncoder().encode(CSV_BEGIN)]).toEqual([0xef, 0xbb, 0xbf])
  })

  it.each(['=1+1', '+49 721', '-2', '@SUM(A1)', '\tx', '\r=x', '=HYPERLINK("http://x";"y")'])(
    'the text %j is not run as a formula',
    text => {
      const [[cell]] = parse(csvOf([[text]], 'en')) as [[string]]
      expect(cell).toBe(`'${text}`)
    },
  )

  it('numbers below zero stay numbers, and what is no number stays empty', () => {
    expect(csvOf([[-2.5, Number.NaN, Number.POSITIVE_INFINITY]], 'en')).toBe('-2.5,,\r\n')
  })

  it('is read back as it was written, in both languages', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', ',', ';', '"', "'", '\n', '\r', '.', 'ä', '=') })
    fc.assert(
      fc.property(
        fc.array(fc.array(text, { minLength: 2, maxLength: 2 }), { minLength: 1 }),
        fc.constantFrom('en' as const, 'de' as const),
        (rows, language) => {
          const read = parse(csvOf(rows as ExportCell[][], language), {
            delimiter: SEPARATORS[language],
            record_delimiter: '\r\n',
          })
          expect(read).toEqual(rows.map(row => row.map(cell => (/^[=\r]/.test(cell) ? `'${cell}` : cell))))
        },
      ),
    )
  })

  it('writes an instant in the time zone of the person', () => {
    expect(csvOf([[new Date(2026, 2, 5, 7, 8, 9)]], 'en')).toBe('2026-03-05 07:08:09\r\n')
  })
})

it('a workbook has a bold head, texts as they are, numbers, and instants as the clock of the person shows them', async () => {
  const made = await xlsxOf(
    ['Car', 'km'],
    [
      ['=B & \u0000W', 12.5],
      [new Date(2026, 2, 5, 12), undefined],
    ],
  )
  const files = unzipSync(new Uint8Array(await made.arrayBuffer()))
  const textOf = (name: string) => strFromU8(files[`xl/${name}`] ?? new Uint8Array())
  expect(textOf('sharedStrings.xml').match(/(?<=<t>)[^<]*/g)).toEqual(['Car', 'km', '=B &amp; W'])
  const cells = textOf('worksheets/sheet1.xml').match(/<c .*?<\/v>/g)
  expect(cells?.map(cell => cell.replaceAll(/<c r=|<\/?v>|"/g, '')).join('; ')).toBe(
    'A1 s=1 t=s>0; B1 s=1 t=s>1; A2 t=s>2; B2>12.5; A3 s=2>46086.5',
  )
  // Style 1 is of the head, style 2 of instants.
  expect(textOf('styles.xml')).toMatch(/<b\/>.*<cellXfs[^>]*><xf ><\/xf><xf fontId="1".*numFmtId="100"/)
})
