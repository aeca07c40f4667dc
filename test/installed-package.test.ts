import { execFile, execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from './embedded-folder.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const { dependencies, version } = JSON.parse(read('package.json')) as {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

/** Of the others, npm asks only for names. */
const READ_BY_NPM = ['package.json', '.npmignore', '.gitignore']

/** A folder as it is here, with empty files: npm would compress for seconds what is in them. */
function hollowCopy(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)]
    if (entry.name === 'node_modules' || entry.name === '.git') continue
    if (entry.isDirectory()) hollowCopy(source, copy)
    else writeFileSync(copy, READ_BY_NPM.includes(entry.name) ? readFileSync(source) : '')
  }
}

/** The files that `npm pack` would take. */
function packedFiles(): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'tacho-packed-'))
  const copy = join(folder, 'tacho')
  hollowCopy(ROOT, copy)
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []]
  const told = execFileSync(command, [...args, 'pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: copy,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  rmSync(folder, { recursive: true })
  const [packed] = JSON.parse(told) as [{ readonly files: readonly { readonly path: string }[] }]
  return packed.files.map(({ path }) => path)
}

const files = packedFiles()

test('what is packed is what an operator needs, and nothing else', () => {
  const migrations = readdirSync(join(ROOT, 'migrations')).filter(name => name !== 'schema.sql')
  expect(files).toEqual(
    expect.arrayContaining([
      ...migrations.map(name => `migrations/${name}`),
      'package.json',
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      '.env.example',
      'bin/tacho.mjs',
      'bin/npm-end.mjs',
      'dist/main.js',
      'dist/build.json',
      'dist/sbom.json',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/lab.js',
      'dist/gateways/reading-worker.js',
      'dist/api/v2/rule-preview/folding-thread.js',
      'dist/console/index.html',
      'dist/docs-page/logo.svg',
      ...['tacho.service', 'Containerfile', 'compose.yaml', 'compose.postgres.yaml'].map(name => `deploy/${name}`),
    ]),
  )
  const needed =
    /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|\.env\.example|bin\/|dist\/|migrations\/(?:\d|citus)|deploy\/)/
  expect(files.filter(path => !needed.test(path) || path.endsWith('.map') || path.includes('.test.'))).toEqual([])
})

/** What the program looks for and does without. */
const TRIED = ['pg-native', 'bufferutil', 'utf-8-validate', '@fastify/swagger-ui']

test('the program loads no package but those that come with it', () => {
  const loaded = files
    .filter(path => /^dist\/(?!console\/|docs-page\/).*\.js$/.test(path))
    // In quotes, or after a blank, are texts from which `ajv` would make a program of its own.
    .flatMap(path => [
      ...read(path).matchAll(/(?:(?<!['"`]|= )\brequire|\b__require|\.resolve)\(["'`]([^"'`\n]+)["'`]\)/g),
    ])
    .map(([, required]) => required ?? '')
    .filter(name => /^@?[a-z]/.test(name) && !name.startsWith('node:') && !isBuiltin(name))
    .map(name =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    )
  expect(loaded).toEqual(expect.arrayContaining(Object.keys(dependencies)))
  expect(loaded.filter(name => !dependencies[name] && !TRIED.includes(name))).toEqual([])
})

/** The packed files, with the packages that npm would install beside them and no others. */
async function install(): Promise<string> {
  const folder = await makeTemporaryFolder('tacho-installed-')
  for (const path of files) {
    const to = join(folder, 'node_modules/tacho', path)
    mkdirSync(dirname(to), { recursive: true })
    cpSync(join(ROOT, path), to)
  }
  const { packages } = JSON.parse(read('package-lock.json')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: true; readonly devOptional?: true }>>
  }
  for (const [path, { dev, devOptional }] of Object.entries(packages)) {
    if (dev || devOptional || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || !existsSync(join(ROOT, path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(join(ROOT, path), join(folder, path))
  }
  return folder
}

test('it runs where npm installed it, from any folder', async () => {
  const folder = await install()
  const elsewhere = join(folder, 'elsewhere')
  mkdirSync(elsewhere)
  const installed = join(folder, 'node_modules/tacho')
  const tacho = async (...words: string[]) => {
    const program = join(installed, 'bin/tacho.mjs')
    const env = { PATH: process.env.PATH, HOME: elsewhere, PORT: '0', TELTONIKA_PORT: 'off', XDG_DATA_HOME: elsewhere }
    return (await promisify(execFile)(process.execPath, [program, ...words], { cwd: elsewhere, env })).stdout
  }
  expect((await tacho('--version')).trim()).toMatch(new RegExp(`^${version.replaceAll('.', '[.]')} \\(commit .+\\)$`))
  const { ok, findings } = JSON.parse(await tacho('doctor', '--json')) as {
    readonly ok: boolean
    readonly findings: readonly { readonly check: string; readonly says: string }[]
  }
  expect(ok).toBe(true)
  const place = process.getuid?.() === 0 ? '/var/lib/tacho' : join(elsewhere, 'tacho')
  expect(findings.find(({ check }) => check === 'data folder')?.says).toContain(place)
  expect(readdirSync(elsewhere)).toEqual([])
})

test('with --enable-source-maps, errors say where they are in the sources', async () => {
  const path = join(ROOT, 'dist/main.js')
  const asks = `
    const { findSourceMap } = require('node:module')
    process.argv.splice(1, 1, 'tacho', '--version')
    process.once('exit', () => console.log(findSourceMap(${JSON.stringify(path)})?.payload.sources.join()))
    require(${JSON.stringify(path)})`
  const { stdout } = await promisify(execFile)(process.execPath, ['--enable-source-maps', '-e', asks, 'tacho'])
  expect(stdout).toContain('src/main.ts')
})
