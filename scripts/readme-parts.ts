// `npm run readme`: writes what documents and .env.example say about the program from the program itself.
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { PERMISSIONS } from '../src/catalogue/permissions.ts'
import { welcome } from '../src/cli/demo.ts'
import { SETTINGS } from '../src/settings.ts'

const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const EXAMPLE = inRoot('.env.example')

/** A part of a document, between `<!-- <name> -->` and `<!-- /<name> -->`. */
interface Part {
  readonly path: string
  readonly name: string
  readonly render: () => string
}

/** One for each document. */
const PARTS: readonly Part[] = [
  {
    path: inRoot('README.md'),
    name: 'welcome',
    render: () =>
      fenced(
        welcome({
          address: 'http://127.0.0.1:8080',
          teltonika: '127.0.0.1:5027',
          email: 'demo@tacho.example',
          password: 'Xw3mVq7kT2bZ',
        }),
      ),
  },
  {
    path: inRoot('docs/administration.md'),
    name: 'permissions',
    render: () =>
      table(
        ['permission', 'opens'],
        Object.entries(PERMISSIONS).map(([name, about]) => [code(name), about]),
      ),
  },
  {
    path: inRoot('docs/operation/settings.md'),
    name: 'settings',
    render: () =>
      table(
        ['variable', 'default', 'what it is'],
        Object.values(SETTINGS).map(({ name, standard, about }) => [code(name), standard && code(standard), about]),
      ),
  },
]

/** @returns every generated file as it must be, by its path. */
export async function generatedTexts(): Promise<ReadonlyMap<string, string>> {
  const documents = await Promise.all(
    PARTS.map(async part => [part.path, replacePart(await readFile(part.path, 'utf8'), part)] as const),
  )
  return new Map([...documents, [EXAMPLE, exampleText()]])
}

function replacePart(text: string, { path, name, render }: Part): string {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const from = text.indexOf(start) + start.length
  const to = text.indexOf(end)
  if (from < start.length || to < from) throw new Error(`${path} has no place for the part "${name}"`)
  return `${text.slice(0, from)}\n${render()}\n\n${text.slice(to)}`
}

function exampleText(): string {
  const rows = Object.values(SETTINGS).map(({ name, standard, about }) => `# ${about}\n#${name}=${standard}\n`)
  return `# Every setting of Tacho with its default. Copy this file to .env and remove the # in front of what you change.
# A variable of the environment goes before the one in .env. Written by \`npm run readme\`.

${rows.join('\n')}`
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}

const code = (text: string) => `\`${text}\``

function fenced(text: string): string {
  const lines = text.split('\n').map(line => line.replace(/^ {2}/, ''))
  return ['```text', ...lines.join('\n').trim().split('\n'), '```'].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of await generatedTexts()) await writeFile(path, text)
