import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from './embedded-folder.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** What the README has a reader run in a fresh clone, and what it says for who works on the code. */
const FIRST_COMMANDS = ['start', 'test', 'test-quick', 'bench', 'attack']

test.each(FIRST_COMMANDS)('scripts/%s.mjs needs no package before it installs them', async name => {
  const clone = await makeTemporaryFolder('tacho-fresh-clone-')
  for (const part of ['scripts', 'bin', 'package.json', 'package-lock.json'])
    cpSync(join(ROOT, part), join(clone, part), { recursive: true })
  const npm = join(clone, 'npm.mjs')
  writeFileSync(npm, `if (process.argv[2] === 'ci') { console.log('installing'); process.exit(7) }`)

  const { status, stdout, stderr } = spawnSync(process.execPath, [join(clone, 'scripts', `${name}.mjs`)], {
    encoding: 'utf8',
    env: { ...process.env, npm_execpath: npm },
  })

  expect({ status, stdout, stderr }).toEqual({
    status: 7,
    stdout: '> npm ci\ninstalling\n',
    stderr: 'npm ci failed.\n',
  })
  expect(existsSync(join(clone, 'node_modules'))).toBe(false)
})
