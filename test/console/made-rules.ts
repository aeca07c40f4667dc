import { eventually } from '../eventually.ts'
import type { ConsoleWorld } from './world.ts'

interface MadeRule {
  readonly name: string
  readonly kind: string
  readonly parameters?: object
  readonly severity?: 'info' | 'warning' | 'critical'
  /** From when on it holds. */
  readonly fromMs: number
}

/** Saves a rule, and waits until what it would have found since is there. @returns its id */
export async function makeRule({ service, key }: ConsoleWorld, { fromMs, ...rule }: MadeRule): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ ...rule, fromTimestamp: new Date(fromMs).toISOString() })
  const reply = await fetch(`${service.baseUrl}/rules`, { method: 'POST', headers, body })
  if (reply.status !== 201) throw new Error(`${reply.status} ${await reply.text()}`)
  const { id } = (await reply.json()) as { id: string }
  await eventually(async () => {
    const progress = await fetch(`${service.baseUrl}/rules/progress`, { headers })
    const { isDone } = (await progress.json()) as { isDone: boolean }
    if (!isDone) throw new Error('changed rules are still worked out')
  })
  return id
}
