import { execFile, execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { ensureFirstUser } from '../src/access/users.ts'
import { readDocument } from './document.ts'
import { startService } from './service.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const readme = readDocument('README.md')

const service = await startService()
const [, email = '', password = ''] = /-d username=(\S+) -d password=(\S+) \\$/m.exec(readme.text) ?? []
await ensureFirstUser(service.database, { email, password })
afterAll(() => service.stop())

const hasCurl = (() => {
  try {
    return execFileSync('curl', ['--version']).length > 0
  } catch {
    return false
  }
})()

/** What the README's commands with curl print, block by block, typed in one after the other. */
async function typeIn(): Promise<string[]> {
  const blocks = [...readme.text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block)
  const isNeeded = (block: string) => /\bcurl\b|^(TOKEN|KEY)=/m.test(block)
  const script = ['set -e', ...blocks.filter(isNeeded)]
    .join('\necho; echo ----\n')
    .replaceAll('http://127.0.0.1:8080', service.url)
    .replaceAll('npx tacho', `'${process.execPath}' --import tsx src/main.ts`)
  const { stdout } = await promisify(execFile)('sh', ['-c', script], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: service.config.databaseUrl },
  })
  return stdout.split('\n----\n').slice(1)
}

test.skipIf(!hasCurl)(
  'its curl lines work as they stand, in their order (skipped where there is no curl)',
  async () => {
    const [lists = '', key, ingest = '', settings = ''] = await typeIn()
    expect(lists).toMatch(/^\{"vehicles":\[\],"modifyTimestamp":"[^"]+"\}\[\]$/)
    expect(key?.trim()).toBe('')
    expect(ingest.trim()).toBe(/^```json\n(\{"accepted".*\})\n```$/m.exec(readme.text)?.[1])
    expect(settings.trim()).toBe('{}')
  },
)

test('every file that it and the other documents name is there', () => {
  const others = readdirSync(`${ROOT}/docs`, { recursive: true, encoding: 'utf8' }).map(name => `docs/${name}`)
  const documents = ['README.md', 'CHANGELOG.md', ...others.filter(path => path.endsWith('.md'))]
  const missing = documents.flatMap(path =>
    readDocument(path)
      .missingFiles()
      .map(file => `${path}: ${file}`),
  )
  expect(missing).toEqual([])
})

test('the list of decisions is complete', () => {
  const listed = [
    ...readDocument('docs/adr/0001-how-decisions-are-recorded.md').text.matchAll(/^\| \[\d{4}\]\((.+?)\)/gm),
  ]
  expect(['0001-how-decisions-are-recorded.md', ...listed.map(([, name]) => name)]).toEqual(
    readdirSync(`${ROOT}/docs/adr`).sort(),
  )
})
