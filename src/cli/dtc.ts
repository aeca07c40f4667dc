import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { type Command, InvalidArgumentError } from 'commander'
import { writeTransaction } from '../db/transaction.ts'
import { importLabels, type LabelKey, listLabels, removeLabel } from '../derive/dtcs/rows/labels.ts'
import { table } from '../lib/table.ts'
import { OperatorError } from '../model/errors.ts'
import { onServiceDatabase } from '../server/database.ts'
import { readLabelFile } from './dtc-label-file.ts'

/** `tacho dtc`: an operator's own texts of trouble codes. */
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
  const labels = readLabelFile(await bytesOf(file))
  const { added, changed, unchanged } = await onServiceDatabase(database =>
    writeTransaction(database, transaction => importLabels(transaction, labels)),
  )
  console.log(`${added} new, ${changed} changed, ${unchanged} unchanged.`)
}

async function bytesOf(file: string): Promise<Uint8Array> {
  if (file === '-') return buffer(process.stdin)
  try {
    return await readFile(file)
  } catch (error) {
    throw new OperatorError(`${file} can not be read: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

async function list(): Promise<void> {
  const labels = await onServiceDatabase(listLabels)
  console.log(
    table(
      ['code', 'language', 'make', 'label'],
      labels.map(({ code, language, make, label }) => [code, language, make, label]),
    ),
  )
}

function languageNamed(text: string): LabelKey['language'] {
  const code = text.toLowerCase()
  if (code === 'en' || code === 'de') return code
  throw new InvalidArgumentError('It must be en or de.')
}

async function remove(code: string, of: LabelKey['language'], make = ''): Promise<void> {
  const key = { code: code.toUpperCase(), language: of, make }
  const wasThere = await onServiceDatabase(database =>
    writeTransaction(database, transaction => removeLabel(transaction, key)),
  )
  const what = `${key.code} in ${of}${make === '' ? '' : ` for ${make}`}`
  if (!wasThere) throw new OperatorError(`There is no imported text of ${what}; see \`tacho dtc list\`.`)
  console.error(`The imported text of ${what} is gone.`)
}
