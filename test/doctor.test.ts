import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import type { Finding } from '../src/cli/doctor-judgements.ts'
import { makeTemporaryFolder } from './embedded-folder.ts'
import { freePort } from './free-port.ts'
import { EMAIL, PASSWORD, PROGRAM, placeDatabase, startService, untilReady } from './serve-process.ts'

interface Report {
  readonly code: number
  readonly ok: boolean
  readonly findings: readonly Finding[]
  readonly verdictOf: (check: string) => string | undefined
}

async function doctor(settings: Readonly<Record<string, string>>): Promise<Report> {
  const env = { ...process.env, DATABASE_URL: '', TELTONIKA_PORT: '0', TACHO_EMAIL: EMAIL, TACHO_PASSWORD: PASSWORD }
  const { code, stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'doctor', '--json'], {
    env: { ...env, ...settings },
  }).then(
    ended => ({ code: 0, stdout: ended.stdout }),
    (error: { code: number; stdout: string }) => error,
  )
  const report = JSON.parse(stdout) as Pick<Report, 'ok' | 'findings'>
  return { ...report, code, verdictOf: check => report.findings.find(finding => finding.check === check)?.verdict }
}

test('tacho doctor looks at a service that runs, one that stands still, and one that cannot start', async () => {
  const folder = placeDatabase(await makeTemporaryFolder())
  const port = await freePort()
  const settings = { TACHO_DATA: folder, PORT: String(port) }

  const still = await doctor(settings)
  expect(still).toMatchObject({ code: 0, ok: true })
  expect(still.verdictOf('data folder')).toBe('fine')
  expect(still.verdictOf('database')).toBe('look')
  expect(still.verdictOf(`port ${port}`)).toBe('fine')

  const service = startService(folder, port)
  await untilReady(service)
  const running = await doctor(settings)
  expect(running).toMatchObject({ code: 0, ok: true })
  for (const check of ['database', 'durability', 'connections', 'role', 'schema', 'disk', `port ${port}`])
    expect([check, running.verdictOf(check)]).toEqual([check, 'fine'])
  service.supervisor.kill('SIGTERM')
  await service.exited

  const stranger = createServer().listen(port, '127.0.0.1')
  onTestFinished(() => void stranger.close())
  const hindered = await doctor({ ...settings, TACHO_DAT: folder })
  expect(hindered).toMatchObject({ code: 1, ok: false })
  expect(hindered.verdictOf(`port ${port}`)).toBe('broken')
  expect(hindered.verdictOf('settings')).toBe('look')

  const wrong = await doctor({ ...settings, RATE_LIMIT: 'many' })
  expect(wrong).toMatchObject({ code: 1, ok: false })
  expect(wrong.verdictOf('settings')).toBe('broken')
  const nobody = await freePort()
  const unreachable = await doctor({ ...settings, DATABASE_URL: `postgres://tacho@127.0.0.1:${nobody}/tacho` })
  expect(unreachable.verdictOf('database')).toBe('broken')
})
