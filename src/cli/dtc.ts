import { buffer } from 'node:stream/consumers'
import { type Command, InvalidArgumentError } from 'commander'
import { type DtcLabel, importLabels, type LabelKey, listLabels, removeLabel } from '../derive/dtcs/labels.ts'
import { textOfBytes } from '../lib/text-of-bytes.ts'
import { OperatorError } from '../model/errors.ts'
import { inServiceTransaction, onServiceDatabase } from '../server/database.ts'
import { printTable, readGivenFile } from './terminal.ts'

export function registerDtc(program: Command): void {
  const dtc = program.command('dtc').description('texts of trouble codes, besides those that are built in')
  dtc
    .command('import')
    .description('add or change texts, all of a file or none')
    .argument(
      '<file>',
      'lines of tab-separated code, language (en or de), label and, for one make only, make; - for stdin',
    )
    .action(importFile)
  dtc.command('list').description('show the texts that were imported').action(list)
  dtc
    .command('remove')
    .description('take an imported text away; the built-in one is shown again')
    .argument('<code>', 'such as P0301')
    .argument('<language>', 'en or de', languageNamed)
    .argument('[make]', 'the make it was imported for')
    .action(remove)
}

async function importFile(file: string): Promise<void> {
  const labels = readLabelFile(await (file === '-' ? buffer(process.stdin) : readGivenFile(file)))
  const { added, changed, unchanged } = await inServiceTransaction(transaction => importLabels(transaction, labels))
  console.log(`${added} new, ${changed} changed, ${unchanged} unchanged.`)
}

async function list(): Promise<void> {
  const labels = await onServiceDatabase(listLabels)
  printTable(['code', 'language', 'make', 'label'], labels, ({ code, language, make, label }) => [
    code,
    language,
    make,
    label,
  ])
}

function languageNamed(text: string): LabelKey['language'] {
  const code = text.toLowerCase()
  if (code === 'en' || code === 'de') return code
  throw new InvalidArgumentError('It must be en or de.')
}

async function remove(code: string, of: LabelKey['language'], make = ''): Promise<void> {
  const key = { code: code.toUpperCase(), language: of, make }
  const wasThere = await inServiceTransaction(transaction => removeLabel(transaction, key))
  const what = `${key.code} in ${of}${make === '' ? '' : ` for ${make}`}`
  if (!wasThere) throw new OperatorError(`There is no imported text of ${what}; see \`tacho dtc list\`.`)
  console.error(`The imported text of ${what} is gone.`)
}

const COLUMNS = ['code', 'language', 'label', 'make'] as const

const LONGEST_LABEL = 500
const LONGEST_MAKE = 100

/** Lines of code, language, label and perhaps make. @throws OperatorError with line and column of the first mistake */
export function readLabelFile(bytes: Uint8Array): DtcLabel[] {
  const labels = new Map<string, { readonly label: DtcLabel; readonly line: number }>()
  for (const [index, text] of textOfBytes(bytes)
    .split(/\r\n|\n|\r/)
    .entries()) {
    const line = index + 1
    if (text.trim() === '') continue
    const cells = text.split('\t').map(cell => cell.trim())
    if (line === 1 && cells[0]?.toLowerCase() === 'code') checkHeader(cells)
    else {
      const label = readLine(cells, line)
      const key = `${label.code} ${label.language} ${label.make.toLowerCase()}`
      const before = labels.get(key)
      if (before && before.label.label !== label.label)
        throw mistake(line, 'label', `line ${before.line} has another label for the same code, language and make.`)
      if (!before) labels.set(key, { label, line })
    }
  }
  if (labels.size === 0) throw new OperatorError('The file holds no labels.')
  return [...labels.values()].map(({ label }) => label)
}

function checkHeader(cells: readonly string[]): void {
  for (const [index, name] of COLUMNS.entries()) {
    const cell = cells[index]?.toLowerCase()
    if (cell !== name && !(name === 'make' && cell === undefined))
      throw mistake(1, name, `the columns must be ${COLUMNS.join(', ')}, in this order.`)
  }
}

function readLine(cells: readonly string[], line: number): DtcLabel {
  const [code = '', language = '', label = '', make = ''] = cells
  const upperCode = code.toUpperCase()
  const languageCode = language.toLowerCase()
  if (!/^[PCBU][0-3][0-9A-F]{3}$/.test(upperCode))
    throw mistake(line, 'code', `"${code}" is no trouble code such as P0301.`)
  if (languageCode !== 'en' && languageCode !== 'de') throw mistake(line, 'language', `"${language}" must be en or de.`)
  if (label === '') throw mistake(line, 'label', 'the label is missing.')
  if (label.length > LONGEST_LABEL) throw mistake(line, 'label', `it has more than ${LONGEST_LABEL} characters.`)
  if (/\p{Cc}/u.test(label)) throw mistake(line, 'label', 'it has a control character.')
  if (make.length > LONGEST_MAKE) throw mistake(line, 'make', `it has more than ${LONGEST_MAKE} characters.`)
  if (/\p{Cc}/u.test(make)) throw mistake(line, 'make', 'it has a control character.')
  if (cells.length > COLUMNS.length)
    throw new OperatorError(
      `Line ${line}, column ${COLUMNS.length + 1}: there are more than ${COLUMNS.length} columns.`,
    )
  return { code: upperCode, language: languageCode, label, make }
}

function mistake(line: number, column: (typeof COLUMNS)[number], what: string): OperatorError {
  return new OperatorError(`Line ${line}, column ${COLUMNS.indexOf(column) + 1} (${column}): ${what}`)
}
