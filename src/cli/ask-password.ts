import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { OperatorError } from '../model/errors.ts'

/**
 * Asks for a new password twice, without showing it.
 * @throws OperatorError when there is no terminal, the answers differ, or it is cancelled.
 */
export async function askNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) throw new OperatorError('A password is needed: give --password or --generate.')
  const [password, again] = await askSecrets(['Password: ', 'Once more: '])
  if (password === undefined || again === undefined) throw new OperatorError('Nothing was changed.')
  if (password !== again) throw new OperatorError('These are two different passwords.')
  return password
}

/** @returns fewer answers than prompts when it was cancelled. */
async function askSecrets(prompts: readonly string[]): Promise<string[]> {
  // The line editor works as usual, but its output is discarded.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 })
  lines.once('SIGINT', () => lines.close())
  const answers: string[] = []
  process.stderr.write(prompts[0] ?? '')
  for await (const line of lines) {
    answers.push(line)
    process.stderr.write(`\n${prompts[answers.length] ?? ''}`)
    if (answers.length === prompts.length) break
  }
  lines.close()
  if (answers.length < prompts.length) process.stderr.write('\n')
  return answers
}
