import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DeviceId } from '../../src/model/sample.ts'
import { makeTemporaryFolder } from '../../test/embedded-folder.ts'
import { type FleetLine, packTimes, readTruth, type TruthLine, timesOf, writeTruth } from './truth.ts'

const FLEET: FleetLine = { fleet: { vehicles: 1, seed: 1, faults: [], fromMs: Date.UTC(2026, 0, 1) } }
const DONGLE = 356_307_042_441_013 as DeviceId

async function read(path: string): Promise<TruthLine[]> {
  const lines: TruthLine[] = []
  for await (const line of readTruth(path)) lines.push(line)
  return lines
}

test('wherever its writer was killed, every whole line of a truth file is there', async () => {
  const path = join(await makeTemporaryFolder(), 'truth.jsonl')
  const writer = await writeTruth(path, FLEET)
  const lines: TruthLine[] = [
    { acknowledged: packTimes(DONGLE, [1000, 6000, 5000]) },
    { passed: [DONGLE, 6000, 5000] },
    { misdated: packTimes(DONGLE, [0]) },
  ]
  for (const line of lines) await writer.write(line)
  await writer.close()
  expect(await read(path)).toEqual([FLEET, ...lines])

  const text = await readFile(path, 'utf8')
  const firstEnd = text.indexOf('\n')
  for (let end = firstEnd; end < text.length; end++) {
    await writeFile(path, text.slice(0, end))
    const whole = text.slice(0, end + 1).split('\n').length - 1
    expect(await read(path)).toEqual([FLEET, ...lines].slice(0, whole))
  }
})

test('what is no truth file is refused, and so is one that was spoilt in the middle', async () => {
  const path = join(await makeTemporaryFolder(), 'truth.jsonl')
  await expect(read(path)).rejects.toThrow('cannot be read')
  await writeFile(path, 'a,b\n')
  await expect(read(path)).rejects.toThrow('is no truth file')
  await writeFile(path, `${JSON.stringify(FLEET)}\n{"passed":[1,\n`)
  await appendFile(path, `${JSON.stringify({ passed: [1, 2] })}\n`)
  await expect(read(path)).rejects.toThrow('line 2: this is no line of a truth file')
})

test('times are kept to the millisecond in whatever order they come', () => {
  const anyTime = fc.integer({ min: -62e12, max: 253e12 })
  fc.assert(
    fc.property(anyTime, fc.array(anyTime), (first, others) => {
      expect(timesOf(packTimes(DONGLE, [first, ...others]))).toEqual([first, ...others])
    }),
  )
})
